/* Stepping through a schedule: which row is the current one, and what is said of it beside the picture. */

/* Where the threads stand at this row: the last place of each. */
function placesAt(story, row) {
    const places = [];

    story.stepsOf.forEach((own, lane) => {
        let low = 0, high = own.length;

        if (story.column[lane] < 0)
            return;
        while (low < high) {
            const middle = (low + high) >> 1;

            if (own[middle] <= row.at)
                low = middle + 1;
            else
                high = middle;
        }
        while (low > 0 && !story.place(own[low - 1]))
            low--;
        if (low > 0)
            places.push({lane, at: story.place(own[low - 1])});
    });
    /* Where somebody is about to do something, or waits, is known better. */
    const about = row.kind === MET ? row.met.about : row.kind === END ? story.ending : [];

    for (const told of about.filter(line => line.thread !== undefined && line.place !== undefined))
        places.splice(0, places.length, ...places.filter(item => item.lane !== told.thread),
            {lane: told.thread, at: story.places[told.place]});
    return places.filter(item => item.at && story.column[item.lane] >= 0).sort((a, b) => a.lane - b.lane);
}

function sameFile(a, b) {
    return a && b && a.file === b.file && (a.dir || '') === (b.dir || '');
}

/* Rows without a place keep the source of the thread that goes on. */
function placeFor(view, r) {
    const story = view.story, row = view.rows[r], lane = rowLane(story, row);
    const own = rowPlace(story, row);

    if (own)
        return own;
    const places = placesAt(story, row);
    const told = row.kind === END ? story.ending.find(line => line.place !== undefined && !isWhy(line)) : undefined;
    const mine = told ? {at: story.places[told.place]} : places.find(item => item.lane === lane) || places[places.length - 1];

    return mine && mine.at;
}

function showHolds(view, row) {
    const story = view.story, list = el('ul', {class: 'holds', 'aria-label': 'Locks'});
    const holds = story.holding.filter(hold => hold.from <= row.at && (hold.to > row.at || hold.to === story.length));

    for (let lane = 0; lane < story.threads.length; lane++) {
        const mine = holds.filter(hold => hold.lane === lane);

        if (mine.length)
            list.append(el('li', {}, threadName(nameOf(story, lane)), ' holds ',
                mine.map((hold, i) => [i ? ', ' : '', el('code', {}, story.locks[hold.lock] || 'a lock')])));
    }
    if (!list.children.length)
        list.append(el('li', {}, 'nobody holds a lock'));
    return list;
}

function showNow(view) {
    const story = view.story, row = view.rows[view.current], at = placeFor(view, view.current), source = sourceOf(at);
    const lane = rowLane(story, row), where = placesAt(story, row);
    const marked = new Set(story.met.flatMap(met => met.marks).map(i => story.place(i))
        .concat(story.met.flatMap(met => met.about.map(side => story.places[side.place]))).filter(place => sameFile(place, at)).map(place => place.line));
    const status = row.kind === STEP || row.kind === FOLD ? 'Step ' + row.at + ' of ' + (story.length - 1) : row.kind === END ? 'The end' : 'Before step ' + row.at;
    const lines = at ? linesOf(source, at.line - 40, at.line + 40) : [];

    view.now.replaceChildren(
        el('header', {}, el('small', {}, status + (at ? ' · ' + place(at) + (at.function ? ' in ' + at.function : '') : '')),
            el('p', {}, row.kind === MET || row.kind === SWITCH || row.kind === END || lane === undefined ? '' : [threadName(story.threads[lane].title), ' '],
                el('span', {class: 'mono'}, rowText(story, row))),
            row.kind === MET ? row.met.about.map(side => el('p', {}, threadName(story.threads[side.thread].title), ' is about to ',
                el('code', {}, side.text))) : ''),
        lines.length ? showSource(lines, line => ({
            here: line === at.line, marked: marked.has(line),
            threads: where.filter(item => sameFile(item.at, at) && item.at.line === line).map(item => story.threads[item.lane].title),
        }), true) : el('p', {class: 'holds'}, at ? 'The source of ' + place(at) + ' is not on this page.' : 'This has no place in the source.'),
        source && source.written > view.found ? el('p', {class: 'holds changed'}, fileName(at.file) + ' has changed since: the lines may be others') : '',
        showHolds(view, row));
    view.status.textContent = clean(status + ': ' + (lane === undefined ? '' : nameOf(story, lane) + ' ') + rowText(story, row) + ' ' + place(at));
    const box = view.now.querySelector('.source'), here = view.now.querySelector('.here');

    if (here)
        box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 2 + 10;
}

function goTo(view, r) {
    const box = view.box;

    view.current = Math.max(0, Math.min(r, view.rows.length - 1));
    const height = box.clientHeight - view.heads.offsetHeight; /* the names stay above the rows */

    if ((view.current - 2) * ROW < box.scrollTop)
        box.scrollTop = Math.max(0, (view.current - 2) * ROW);
    else if ((view.current + 3) * ROW > box.scrollTop + height)
        box.scrollTop = (view.current + 3) * ROW - height;
    draw(view);
    box.setAttribute('aria-activedescendant', 'row-' + view.current);
    showNow(view);
}

/* The nearest row in that direction that is so. */
function seek(view, way, isWanted) {
    for (let r = view.current + way; r >= 0 && r < view.rows.length; r += way)
        if (isWanted(view.rows[r]))
            return goTo(view, r);
    return undefined;
}

/* The rows are made anew, and the current step stays the current one. */
function remake(view, at) {
    makeRows(view.story, view);
    goTo(view, Math.max(0, view.rowOf[Math.min(at, view.story.length)]));
}

function unfold(view, row) {
    view.open.add(row.opens);
    remake(view, row.at);
}

function toggle(view) {
    view.folds = !view.folds;
    view.open.clear();
    view.button.textContent = view.folds ? 'Show all steps' : 'Fold the steps';
    remake(view, view.rows[view.current].at);
}

function isMark(story, row) {
    return row.kind === MET || (row.kind === STEP && story.isMarked(row.at));
}

function pressedIn(view, event) {
    const row = view.rows[view.current];

    switch (event.key) {
    case 'j': case 'ArrowDown': goTo(view, view.current + 1); return true;
    case 'k': case 'ArrowUp': goTo(view, view.current - 1); return true;
    case 'Home': goTo(view, 0); return true;
    case 'End': goTo(view, view.rows.length - 1); return true;
    case 'PageDown': goTo(view, view.current + 20); return true;
    case 'PageUp': goTo(view, view.current - 20); return true;
    case 's': seek(view, 1, item => item.kind === SWITCH); return true;
    case 'S': seek(view, -1, item => item.kind === SWITCH); return true;
    case 'm': seek(view, 1, item => isMark(view.story, item)); return true;
    case 'a': if (view.canFold) toggle(view); return true;
    case 'Enter':
        if (row.kind !== FOLD || /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName))
            return false;
        unfold(view, row);
        return true;
    default: return false;
    }
}

/* A schedule begins where it gets interesting: at the first marked access, or else at the end. */
function firstRow(view) {
    const marked = view.rows.findIndex(row => isMark(view.story, row));

    return marked >= 0 ? marked : Math.max(0, view.rows.findIndex(row => row.kind === END));
}

function legend(view) {
    const story = view.story;

    return el('p', {class: 'bar'}, steps(story.length) + (story.made > story.length ? ', and ' + (story.made - story.length) + ' more that follow' : ''),
        story.locks.slice(0, 6).map((name, i) => el('span', {class: 'key k' + i}, name || 'a lock')),
        story.locks.length > 6 ? el('span', {}, 'and ' + count(story.locks.length - 6, 'more lock')) : null, view.canFold ? view.button : null);
}

function showSchedule(finding) {
    const story = readStory(finding.story), view = {story, found: finding.found, folds: false, open: new Set(), current: 0};

    view.inner = el('div', {class: 'inner'});
    makeRows(story, view);
    view.canFold = view.rows.length > LONG;
    if (view.canFold) {
        view.folds = true;
        makeRows(story, view);
    }
    view.button = el('button', {type: 'button'}, 'Show all steps');
    view.button.addEventListener('click', () => toggle(view));
    view.heads = el('div', {class: 'heads', 'aria-hidden': 'true'});
    view.box = el('div', {class: 'rows', tabindex: 0, role: 'listbox', 'aria-label': 'Steps'}, view.heads, view.inner);
    view.now = el('div', {class: 'now', role: 'region', 'aria-label': 'The current step'});
    view.status = el('p', {class: 'unseen', role: 'status'});
    view.box.addEventListener('scroll', () => requestAnimationFrame(() => draw(view)), {passive: true});
    picture.key = event => pressedIn(view, event);
    picture.view = view;
    queueMicrotask(() => { layOut(view); goTo(view, firstRow(view)); });
    return el('section', {'aria-label': 'Schedule'}, el('h3', {}, 'How it happens'), legend(view),
        el('div', {class: 'schedule'}, el('div', {}, el('div', {class: 'frame'}, view.box), view.status,
            story.ending.filter(isWhy).map(line => el('p', {class: 'why'}, line.text[0].toUpperCase() + line.text.slice(1),
                line.place === undefined ? '' : ' (' + place(story.places[line.place]) + ')'))), view.now));
}

const redraw = all => {
    const view = picture.view;

    if (!view || !view.box.isConnected)
        return;
    view.all = all && view.rows.length <= 2000;
    layOut(view);
    draw(view);
};

addEventListener('resize', () => redraw(false));
addEventListener('beforeprint', () => redraw(true));
addEventListener('afterprint', () => redraw(false));
begin();
