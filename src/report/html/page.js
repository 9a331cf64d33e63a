'use strict';
/* The page: the list of findings, their filters, and the report of the one that is shown. All that comes from a
 * program is put into the page as text, never as markup. */

const data = JSON.parse(document.getElementById('findings').textContent);
/* What a field should be, and is not, counts as missing. */
const listOf = value => Array.isArray(value) ? value.filter(item => item && typeof item === 'object') : [];
data.findings = data.findings.map(({finding, found, report, story}) => Object.assign(finding, {
    found, report, story, id: String(finding.id), kind: String(finding.kind), certainty: String(finding.certainty),
    accesses: listOf(finding.accesses), outcomes: Array.isArray(finding.outcomes) ? finding.outcomes.map(String) : [],
}));
data.findings = besideLeaders(data.findings);
for (const access of data.findings.flatMap(finding => finding.accesses))
    Object.assign(access, {locks: listOf(access.locks), stack: listOf(access.stack)});

/* Variants stand behind the finding that they are variants of. One whose finding is not here is none. */
function besideLeaders(findings) {
    const ids = new Set(findings.map(finding => finding.id)), behind = new Map(), leads = [];

    for (const finding of findings)
        if (finding.variant_of && finding.variant_of !== finding.id && ids.has(finding.variant_of)) {
            behind.set(finding.variant_of, [...behind.get(finding.variant_of) || [], finding]);
        } else {
            finding.variant_of = undefined;
            leads.push(finding);
        }
    return leads.flatMap(finding => [finding, ...behind.get(finding.id) || []]);
}

const byId = id => document.getElementById(id);

/* What would be invisible, or would turn the text around, is shown as its number. */
function clean(text) {
    return String(text).replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
        c => '⟨' + c.codePointAt(0).toString(16).padStart(2, '0') + '⟩');
}

/* An element with attributes, texts and other elements. */
function el(name, attributes, ...inside) {
    const made = document.createElement(name);

    for (const [key, value] of Object.entries(attributes || {}))
        if (value !== undefined && value !== false)
            made.setAttribute(key, value === true ? '' : value);
    for (const item of inside.flat(Infinity))
        if (item instanceof Node)
            made.append(item);
        else if (item !== undefined && item !== null && item !== '')
            made.append(clean(item));
    return made;
}

const kinds = {
    'data-race': 'data race', 'atomicity-violation': 'atomicity violation', 'deadlock': 'deadlock',
    'notification': 'mishandled notification', 'sync-misuse': 'misuse', 'failure': 'failure',
    'order-violation': 'order violation', 'high-level-race': 'high-level race',
};
const verbs = {
    read: 'reads', write: 'writes', update: 'updates', free: 'frees', use: 'uses', acquire: 'waits for', join: 'waits for the end of',
    wait: 'waits for', signal: 'signals', broadcast: 'signals all that wait for', stop: 'stops', unlock: 'unlocks',
    destroy: 'destroys', init: 'initializes', hold: 'holds',
};
const kindOf = finding => kinds[finding.kind] || String(finding.kind);
const count = (n, one, many) => n + ' ' + (n === 1 ? one : many || one + 's');

function fileName(file) {
    file = String(file);
    return data.strip && file.startsWith(data.strip) ? file.slice(data.strip.length) : file;
}

function place(at) {
    return at && at.file ? fileName(at.file) + (at.line ? ':' + at.line : '') : '';
}

/* The first line of the report says it best, without the place and the name of the kind. */
function titleOf(finding) {
    if (finding.engine === 'campaign' && finding.test)
        return 'the test ' + finding.test + ' fails: ' + finding.reason;
    const line = (finding.report || '').split('\n', 1)[0];
    const found = /(?:warning|error|note): (.*?)(?: \[[a-z, -]+\])?$/.exec(line);

    return found ? found[1] : kindOf(finding) + (finding.variable ? " on '" + finding.variable + "'" : '');
}

function lockName(lock) {
    return lock.expression || lock.part || (lock.name ? lock.name + (lock.name_offset ? '+' + lock.name_offset : '') : '') ||
        (lock.kind || 'lock') + (lock.address ? ' ' + lock.address : '');
}

/* T1 has the same colour everywhere. */
function threadClass(title) {
    const number = /^T(\d+)/.exec(title);

    return 't' + (number ? number[1] % 8 : 0);
}

function threadName(title) {
    return el('span', {class: 'thread ' + threadClass(title)}, title);
}

/* ---- sources ---- */

const sources = new Map(data.sources.map(source => [(source.dir || '') + '\n' + source.file, source]));

function sourceOf(at) {
    return at && at.file ? sources.get((at.dir || '') + '\n' + at.file) || sources.get('\n' + at.file) : undefined;
}

/* Lines [from, to] of it that are on the page, as [number, text]; null stands for a gap. */
function linesOf(source, from, to) {
    const lines = [];

    for (const [first, texts] of source ? source.parts : []) {
        const start = Math.max(first, from), end = Math.min(first + texts.length - 1, to);

        if (start <= end && lines.length)
            lines.push(null);
        for (let line = start; line <= end; line++)
            lines.push([line, texts[line - first]]);
    }
    return lines;
}

/* `look` says of a line: {here, marked, threads: [title]}. */
function showSource(lines, look, gutter) {
    const box = el('div', {class: 'source', tabindex: 0, role: 'region', 'aria-label': 'Source'});

    for (const line of lines) {
        if (!line) {
            box.append(el('div', {class: 'gap'}, '⋯'));
            continue;
        }
        const seen = look(line[0]);
        const names = [seen.here && 'here', seen.marked && 'marked'].filter(Boolean).join(' ');

        box.append(el('div', {class: names || undefined, 'aria-current': seen.here ? 'true' : undefined},
            gutter ? el('span', {class: 'gutter'}, seen.threads.map(title => [threadName(title.split(' ')[0]), ' '])) : null,
            el('span', {class: 'number'}, line[0]), el('span', {}, line[1].replace(/\r$/, ''))));
    }
    return box;
}

/* ---- the report of one finding ---- */

function accessText(access) {
    const verb = access.op === 'stop' && access.fault ? 'stops at a ' + access.fault : verbs[access.op] || access.op;
    let what = access.variable || '';

    if (access.target)
        what = access.target.thread || lockName(access.target);
    return [access.atomic ? 'atomically ' : '', verb, what ? ' ' : '', what ? el('code', {}, what) : ''];
}

function heldText(access) {
    const locks = access.locks;

    if (!locks.length)
        return 'holds no lock';
    return ['holds ', locks.map((lock, i) => [i ? ', ' : '', el('code', {}, lockName(lock)),
        lock.taken && lock.taken.file ? ' (since ' + place(lock.taken) + ')' : ''])];
}

function showAccess(access, finding) {
    const source = sourceOf(access);
    const title = (access.thread || 'a thread') + (access.thread === 'T0' ? ' main' : access.thread_name ? ' ' + access.thread_name : '');
    const card = el('article', {class: 'card'},
        el('header', {}, threadName(title), ' ',
            accessText(Object.assign({}, access, {variable: access.variable || (access.target ? '' : finding.variable)})),
            el('small', {}, access.last_seen ? 'last seen at ' : '', place(access), access.function ? ' in ' + access.function : '')));
    const lines = access.line ? linesOf(source, access.line - 4, access.line + 4) : [];

    if (lines.length)
        card.append(showSource(lines, line => ({here: line === access.line, threads: []}), false));
    if (source && source.written > finding.found)
        card.append(el('p', {class: 'holds changed'}, fileName(access.file) + ' has changed since: the lines may be others'));
    card.append(el('p', {class: 'holds'}, heldText(access)));
    if (access.stack.length > 1)
        card.append(el('ol', {'aria-label': 'Stack'}, access.stack.map(frame =>
            el('li', {class: 'mono'}, (frame.function || frame.module || frame.pc || '?') + (frame.file ? '  ' + place(frame) : '')))));
    return card;
}

const ends = {
    crash: 'a crash', abort: 'an abort', assertion: 'a failed assertion', sanitizer: 'an error that a sanitizer reports', deadlock: 'a deadlock',
    hang: 'a hang', exit: 'an exit status that means failure', output: 'another output', oracle: 'a run that the oracle rejects',
};

/* What comes of it, unless it is that itself. */
const leadsTo = finding => finding.outcomes.filter(word => word !== finding.kind);

/* What happened, and what did not: hb tells of accesses that the run has made. */
function predictedText(finding) {
    if (finding.engine === 'hb')
        return 'Both accesses were made, one after the other, and nothing in the run ordered them.';
    return 'It did not happen in the run that was looked at' + (finding.suspicion ? '.' : '; in another schedule it could.');
}

function proofText(finding) {
    const parts = [];

    if (finding.hits)
        parts.push('It happened in ' + finding.hits + ' of ' + count(finding.trials, 'controlled run') + '.');
    if (leadsTo(finding).length && finding.kind !== 'failure')
        parts.push('It leads to ' + leadsTo(finding).map(word => ends[word] || word).join(', ') + '.');
    else if (finding.certainty === 'confirmed' && finding.kind === 'data-race')
        parts.push(finding.cut_off ? 'Its runs were cut off: what they lead to is not known.' : 'It made no difference in these runs.');
    if (finding.certainty === 'observed')
        parts.push('Seen ' + count(finding.count, 'time') + ' in an ordinary run.');
    if (finding.certainty === 'predicted')
        parts.push(predictedText(finding));
    if (finding.trials && !finding.hits)
        parts.push('It did not happen in ' + count(finding.trials, 'controlled run') + ' that aimed at it.');
    if (finding.pattern)
        parts.push(finding.pattern);
    return parts.join(' ');
}

/* What the report says of it in a line each, as [label, text]. */
function notesOf(finding) {
    const labels = {why: 'Why', next: 'What to do', 'see it': 'See it'};

    return (finding.report || '').split('\n').map(line => /^ {2}(why|next|see it): (.*)$/.exec(line)).filter(Boolean)
        .map(([, label, text]) => [labels[label], text]);
}

function showReport(finding) {
    const main = byId('finding');
    const again = finding.schedule ? 'darn replay ' + String(finding.schedule).replace(/\/schedule$/, '') : '';

    main.replaceChildren(el('header', {},
        el('p', {class: 'tags'}, el('span', {class: 'tag ' + finding.certainty}, finding.certainty),
            el('span', {class: 'tag'}, kindOf(finding)),
            leadsTo(finding).map(word => el('span', {class: 'tag'}, word)),
            finding.suspicion ? el('span', {class: 'tag'}, 'suspicion') : null),
        el('h2', {}, titleOf(finding)), el('p', {}, proofText(finding)),
        finding.test ? el('p', {}, 'In the test ', el('code', {}, finding.test)) : null,
        again ? el('p', {}, 'Again: ', el('code', {}, again)) : null,
        notesOf(finding).map(([label, text]) => el('p', {}, label + ': ', el(label === 'See it' ? 'code' : 'span', {}, text)))));
    if (finding.story !== undefined)
        main.append(showSchedule(finding));
    main.append(el('section', {'aria-label': 'Accesses'},
        el('h3', {}, finding.kind === 'deadlock' ? 'Who waits for whom' : finding.accesses.length === 1 ? 'Where' : 'Both sides'),
        el('div', {class: 'cards'}, finding.accesses.map(access => showAccess(access, finding)))));
    if (finding.report)
        main.append(el('details', {}, el('summary', {}, 'The report as text'),
            el('pre', {tabindex: 0}, finding.report.split('\n').flatMap(line => [line, document.createTextNode('\n')]))));
    if (finding.suppression)
        main.append(el('details', {}, el('summary', {}, 'To suppress it'), el('pre', {tabindex: 0}, finding.suppression)));
}

/* ---- the list ---- */

let shown = []; /* the findings that the filters leave */
let current = -1;
const opened = new Set(); /* the findings whose variants are shown */

const filesOf = finding => new Set(finding.accesses.map(access => access.file).filter(Boolean));

/* All words of a finding, made once. */
function wordsOf(finding) {
    if (!finding.words)
        finding.words = [titleOf(finding), finding.kind, finding.certainty, finding.report || '',
            finding.accesses.map(access => [access.file, access.function, access.thread, access.locks.map(lockName)])]
            .flat(4).join('\n').toLowerCase();
    return finding.words;
}

function passes(finding) {
    const text = byId('filter-text').value.trim().toLowerCase();
    const kind = byId('filter-kind').value, certainty = byId('filter-certainty').value, file = byId('filter-file').value;

    return (!kind || finding.kind === kind) && (!certainty || finding.certainty === certainty) &&
        (!file || filesOf(finding).has(file)) && (!text || text.split(/\s+/).every(word => wordsOf(finding).includes(word)));
}

/* A variant differs from what stands above it in its places. */
function variantItem(finding) {
    return el('button', {type: 'button', class: 'variant'},
        finding.accesses.map(access => el('small', {}, [place(access), access.function].filter(Boolean).join(' '))));
}

function findingItem(finding) {
    const first = finding.accesses[0] || {};

    return el('button', {type: 'button'}, el('b', {}, titleOf(finding)),
        el('small', {}, el('span', {class: 'tag ' + finding.certainty}, finding.certainty), ' ',
            [place(first), first.function].filter(Boolean).join(' ')));
}

/* The button that shows the variants of a finding, and hides them again. */
function variantsItem(finding, variants) {
    const button = el('button', {type: 'button', class: 'variants', 'aria-expanded': String(opened.has(finding.id))},
        (opened.has(finding.id) ? '▾ ' : '▸ ') + count(variants, 'variant'));

    button.addEventListener('click', () => {
        if (!opened.delete(finding.id))
            opened.add(finding.id);
        filter();
    });
    return button;
}

function listItem(finding, index, variants) {
    const button = finding.variant_of ? variantItem(finding) : findingItem(finding);

    button.addEventListener('click', () => select(index));
    return el('li', {}, button, variants ? variantsItem(finding, variants) : null);
}

function select(index) {
    byId('campaign-button').removeAttribute('aria-current');
    if (!shown.length) {
        current = -1;
        byId('finding').replaceChildren(el('p', {class: 'note'}, data.findings.length ? 'No finding passes the filters.'
            : 'There are no findings.'));
        return;
    }
    current = Math.max(0, Math.min(index, shown.length - 1));
    const old = byId('list').querySelector('[aria-current]'), button = byId('list').children[current].firstChild;

    if (old)
        old.removeAttribute('aria-current');
    button.setAttribute('aria-current', 'true');
    button.scrollIntoView({block: 'nearest'});
    showReport(shown[current]);
    document.title = clean(titleOf(shown[current])) + ' – darn';
    history.replaceState(null, '', '#' + encodeURIComponent(shown[current].id));
}

/* How many findings have each id as their `variant_of`. */
function countVariants(findings) {
    const variants = new Map();

    for (const finding of findings)
        if (finding.variant_of)
            variants.set(finding.variant_of, (variants.get(finding.variant_of) || 0) + 1);
    return variants;
}

/* Variants stand behind their finding. Where the filters leave a variant alone, it is shown by itself. */
function filter() {
    const before = shown[current], left = data.findings.filter(passes), leaders = new Set(left.map(finding => finding.id));
    const variants = countVariants(left), behind = left.filter(finding => finding.variant_of && leaders.has(finding.variant_of)).length;

    shown = left.filter(finding => !leaders.has(finding.variant_of) || opened.has(finding.variant_of));
    byId('count').textContent = (left.length === data.findings.length ? '' : left.length - behind + ' of ') +
        count(left.length === data.findings.length ? left.length - behind : data.findings.filter(finding => !finding.variant_of).length, 'finding') +
        (behind ? ', ' + count(behind, 'variant') : '');
    byId('list').replaceChildren(...shown.map((finding, i) => listItem(finding, i, variants.get(finding.id))));
    select(Math.max(0, shown.indexOf(before)));
}

function fill(id, all, values, words) {
    const some = [...new Set(values)].sort();

    byId(id).append(el('option', {value: ''}, all), ...some.map(value => el('option', {value}, words(value))));
    byId(id).addEventListener('change', filter);
}

/* ---- keys ---- */

function pressed(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    let done = true;

    if (event.ctrlKey || event.altKey || event.metaKey || byId('help').open)
        return;
    if (typing) {
        if (event.key === 'Escape')
            event.target.blur();
        return;
    }
    if (event.key === 'n')
        select(current + 1);
    else if (event.key === 'p')
        select(current - 1);
    else if (event.key === '/')
        byId('filter-text').focus();
    else if (event.key === '?')
        byId('help').showModal();
    else
        done = picture.key(event);
    if (done)
        event.preventDefault();
}

function begin() {
    const wanted = decodeURIComponent(location.hash.slice(1));

    byId('about').textContent = clean(data.about);
    fill('filter-kind', 'all kinds', data.findings.map(finding => finding.kind), value => kinds[value] || value);
    fill('filter-certainty', 'all', data.findings.map(finding => finding.certainty), value => value);
    fill('filter-file', 'all files', data.findings.flatMap(finding => [...filesOf(finding)]), fileName);
    byId('filter-text').addEventListener('input', filter);
    byId('filters').addEventListener('submit', event => event.preventDefault());
    byId('help-button').addEventListener('click', () => byId('help').showModal());
    document.addEventListener('keydown', pressed);
    opened.add((data.findings.find(finding => finding.id === wanted) || {}).variant_of);
    filter();
    beginCampaign(wanted);
    if (wanted)
        select(Math.max(0, shown.findIndex(finding => finding.id === wanted)));
}
