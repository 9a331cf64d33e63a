/* The picture of a schedule: a lane for each thread, time downwards. Only the rows that can be seen are in the page;
 * a story is read from its JSON when it is shown (docs/story-format.md). */

const ROW = 26, NUMBERS = 46, SLOT = 8;
const STEP = 0, SWITCH = 1, MET = 2, FOLD = 3, ASIDE = 4, END = 5;
const PREEMPTS = 1 | 8;
const LONG = 120, EDGE = 3; /* rows of a story that is folded, and steps that stay at both ends of a stretch */

/* What is shown now; `key` gets what is pressed. */
const picture = {key: () => false};

function readStory(number) {
    const story = JSON.parse(byId('story-' + number).textContent);
    const marks = new Set(story.met.flatMap(met => met.marks));

    story.length = story.steps.length / 3;
    story.lane = i => story.steps[3 * i];
    story.deed = i => story.deeds[story.steps[3 * i + 1]];
    story.flags = i => story.steps[3 * i + 2];
    story.place = i => story.places[story.deed(i).place];
    story.isMarked = i => marks.has(i);
    story.why = new Map();
    for (let i = 0; i < story.switches.length; i += 2)
        story.why.set(story.switches[i], story.switches[i + 1]);
    story.metAt = new Map();
    for (const met of story.met)
        story.metAt.set(met.step, [...story.metAt.get(met.step) || [], met]);
    story.stepsOf = story.threads.map(() => []);
    for (let i = 0; i < story.length; i++)
        story.stepsOf[story.lane(i)].push(i);
    placeLanes(story);
    placeHolds(story);
    return story;
}

/* Which column each thread has; -1 for those that take no part. */
function placeLanes(story) {
    story.columns = 0;
    story.column = story.threads.map(thread => thread.aside ? -1 : story.columns++);
}

/* Locks that a thread holds at the same time stand beside each other. */
function placeHolds(story) {
    const open = story.threads.map(() => []);

    story.slots = 1;
    story.holding = [];
    for (let i = 0; i < story.holds.length; i += 4) {
        const [lane, lock, from, to] = story.holds.slice(i, i + 4);
        let slot = open[lane].findIndex(end => end <= from);

        slot = slot < 0 ? open[lane].length : slot;
        open[lane][slot] = to;
        story.slots = Math.max(story.slots, Math.min(slot + 1, 4));
        story.holding.push({lane, lock, from, to, slot: Math.min(slot, 3)});
    }
}

/* ---- rows ---- */

/* How often the step is repeated at once. */
function timesOf(story, i, end) {
    let n = 1;

    while (i + n < end && story.steps[3 * (i + n) + 1] === story.steps[3 * i + 1] && story.flags(i + n) === story.flags(i) &&
        !story.isMarked(i + n) && !story.isMarked(i) && !story.metAt.has(i + n))
        n++;
    return n;
}

function stretchEnd(story, i) {
    let end = i + 1;

    while (end < story.length && story.lane(end) === story.lane(i) && !story.why.has(end))
        end++;
    return end;
}

/* The steps from `from` to before `to` are of one thread, and nobody comes in between. */
function addStretch(story, rows, from, to, view) {
    const units = [];

    for (let i = from, n; i < to; i += n) {
        n = timesOf(story, i, to);
        for (const met of story.metAt.get(i) || [])
            units.push({kind: MET, at: i, met, keep: true});
        units.push({kind: STEP, at: i, n, keep: story.isMarked(i)});
    }
    for (let i = 0; i < units.length; i++) {
        let end = i;

        while (end < units.length && !units[end].keep)
            end++;
        if (view.folds && end - i > 2 * EDGE + 2 && !view.open.has(units[i].at)) {
            rows.push(...units.slice(i, i + EDGE));
            rows.push({kind: FOLD, at: units[i + EDGE].at, n: units[end - EDGE].at - units[i + EDGE].at, opens: units[i].at});
            rows.push(...units.slice(end - EDGE, end));
            i = end - 1;
        } else {
            rows.push(units[i]);
        }
    }
}

function addAside(rows, from, to) {
    const last = rows[rows.length - 1];

    if (last && last.kind === ASIDE)
        last.n += to - from;
    else
        rows.push({kind: ASIDE, at: from, n: to - from});
}

/* Why it came so is told below the picture. */
const isWhy = line => line.text.startsWith('why: ');

function makeRows(story, view) {
    const rows = [];
    let runs = -1;

    for (let i = 0, end; i < story.length; i = end) {
        const lane = story.lane(i);

        end = stretchEnd(story, i);
        if (story.column[lane] < 0) {
            addAside(rows, i, end);
            continue;
        }
        if (runs >= 0 && story.why.has(i))
            rows.push({kind: SWITCH, at: i, from: runs, to: lane, preempts: Boolean(story.flags(i) & PREEMPTS)});
        if (story.deed(i).op !== 'wake')
            runs = lane;
        addStretch(story, rows, i, end, view);
    }
    for (const met of story.metAt.get(story.length) || [])
        rows.push({kind: MET, at: story.length, met});
    for (const line of story.ending.filter(line => !isWhy(line)))
        rows.push({kind: END, at: story.length, line});
    view.rows = rows;
    view.rowOf = new Int32Array(story.length + 1).fill(-1);
    for (let r = 0; r < rows.length; r++)
        if (rows[r].kind === STEP || rows[r].kind === FOLD || rows[r].kind === ASIDE)
            view.rowOf.fill(r, rows[r].at, rows[r].at + rows[r].n);
    view.rowOf[story.length] = rows.length - 1;
    view.inner.style.height = rows.length * ROW + 'px';
}

/* `T1` of `T1 worker`. */
const nameOf = (story, lane) => story.threads[lane].title.split(' ')[0];
const steps = n => n + (n === 1 ? ' step' : ' steps');

function rowText(story, row) {
    switch (row.kind) {
    case STEP:
        return story.deed(row.at).text + (row.n > 1 ? '  × ' + row.n : '');
    case SWITCH:
        return story.why.get(row.at);
    case MET:
        return row.met.about.length > 1 ? 'data race: ' + row.met.about.map(side => nameOf(story, side.thread)).join(' and ') + ' at the same time'
            : 'atomicity violation before: ' + row.met.about[0].text;
    case FOLD:
        return steps(row.n) + ' of ' + nameOf(story, story.lane(row.at));
    case ASIDE:
        return steps(row.n) + ' of other threads';
    default:
        return row.line.text;
    }
}

function rowPlace(story, row) {
    const at = row.kind === STEP ? story.place(row.at) : row.kind === MET ? story.places[row.met.about[0].place]
        : row.kind === END ? story.places[row.line.place] : undefined;

    return at;
}

function rowLane(story, row) {
    return row.kind === SWITCH ? row.to : row.kind === MET ? row.met.about[0].thread
        : row.kind === END ? row.line.thread : row.kind === ASIDE ? undefined : story.lane(row.at);
}

/* ---- drawing ---- */

function svg(name, attributes, ...inside) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);

    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    made.append(...inside);
    return made;
}

function laneX(view, lane) {
    return NUMBERS + view.laneWidth * view.story.column[lane] + 16;
}

function drawSwitch(view, row, y) {
    const from = laneX(view, row.from), to = laneX(view, row.to), end = y + ROW;

    return svg('g', {class: row.preempts ? 'preempts' : ''},
        svg('path', {class: 'arrow', d: `M${from} ${y} C${from} ${y + 18} ${to} ${y + 6} ${to} ${end - 7}`}),
        svg('path', {class: 'tip', d: `M${to - 4.5} ${end - 9} h9 l-4.5 8 z`}));
}

function drawDot(view, row, y) {
    const story = view.story, lane = rowLane(story, row), middle = y + ROW / 2;
    const colour = threadClass(story.threads[lane].title);

    if (row.kind === STEP && story.isMarked(row.at))
        return svg('circle', {class: 'mark', cx: laneX(view, lane), cy: middle, r: 7});
    if (row.kind === FOLD)
        return svg('circle', {class: colour, cx: laneX(view, lane), cy: middle, r: 2.5});
    return svg('circle', {class: colour + (/lock/.test(story.deed(row.at).op) ? ' lock' : ''), cx: laneX(view, lane), cy: middle, r: 5});
}

/* Both stand before the same memory. */
function drawMet(view, row, y) {
    const xs = row.met.about.map(side => laneX(view, side.thread)), middle = y + ROW / 2;
    const rings = xs.map(x => svg('circle', {class: 'ring', cx: x, cy: middle, r: 7}));

    if (xs.length === 2)
        rings.unshift(svg('line', {class: 'between', x1: Math.min(...xs) + 8, x2: Math.max(...xs) - 8, y1: middle, y2: middle}));
    return svg('g', {}, ...rings);
}

function drawLines(view, first, last) {
    const story = view.story, lines = [];

    story.threads.forEach((thread, lane) => {
        const own = story.stepsOf[lane], x = laneX(view, lane);

        if (story.column[lane] < 0 || !own.length)
            return;
        const ends = /^(exit|finish)$/.test(story.deed(own[own.length - 1]).op);
        const from = Math.max(view.rowOf[own[0]], first), to = ends ? view.rowOf[own[own.length - 1]] : view.rows.length - 1;

        if (from <= Math.min(to, last))
            lines.push(svg('line', {class: 'rest', x1: x, x2: x, y1: (from - first) * ROW + (from === view.rowOf[own[0]] ? ROW / 2 : 0),
                y2: (Math.min(to, last) - first) * ROW + (to <= last ? ROW / 2 : ROW)}));
    });
    return lines;
}

/* Where a thread goes on from one row to the next its line is thick. */
function drawRuns(view, first, last) {
    const story = view.story, lines = [];

    for (let r = first; r < last; r++) {
        const [a, b] = [view.rows[r], view.rows[r + 1]].map(row => row.kind === STEP || row.kind === FOLD ? story.lane(row.at) : -1);

        if (a >= 0 && a === b)
            lines.push(svg('line', {class: 'run ' + threadClass(story.threads[a].title), x1: laneX(view, a), x2: laneX(view, a),
                y1: (r - first + .5) * ROW, y2: (r - first + 1.5) * ROW}));
    }
    return lines;
}

function drawHolds(view, first, last) {
    const bars = [];

    for (const hold of view.story.holding) {
        const from = view.rowOf[hold.from], to = view.rowOf[hold.to];

        if (from > last || to < first || view.story.column[hold.lane] < 0)
            continue;
        const top = Math.max(from, first - 1), end = Math.min(to, last + 1);
        const bar = svg('rect', {class: 'k' + hold.lock % 6, x: laneX(view, hold.lane) + 10 + SLOT * hold.slot, width: SLOT - 3, rx: 2,
            y: (top - first) * ROW + ROW / 2 - 5, height: (end - top) * ROW + 10});

        bars.push(bar);
    }
    return bars;
}

function drawRows(view, first, last) {
    const marks = [];

    for (let r = first; r <= last; r++) {
        const row = view.rows[r], y = (r - first) * ROW;

        if (row.kind === SWITCH)
            marks.push(drawSwitch(view, row, y));
        else if (row.kind === MET)
            marks.push(drawMet(view, row, y));
        else if (row.kind === STEP || row.kind === FOLD)
            marks.push(drawDot(view, row, y));
    }
    return marks;
}

function rowElement(view, r) {
    const story = view.story, row = view.rows[r], text = rowText(story, row), at = place(rowPlace(story, row));
    const names = ['step', 'switch', 'met', 'fold', 'fold', 'end'][row.kind];
    const made = el('div', {
        class: 'row ' + names + (row.preempts ? ' preempts' : '') + (row.kind === END && row.line !== story.ending[0] ? ' waits' : '') + (row.kind === STEP && story.isMarked(row.at) ? ' mark' : ''),
        id: 'row-' + r, role: 'option', 'aria-selected': String(r === view.current), 'aria-setsize': view.rows.length,
        'aria-posinset': r + 1, title: clean(text + (at ? '  ' + at : '')),
    }, row.kind === STEP ? el('span', {class: 'number'}, row.at) : null,
    el('span', {class: 'deed'}, text), at ? el('span', {class: 'place'}, at.slice(at.lastIndexOf('/') + 1)) : null);

    made.style.top = r * ROW + 'px';
    made.style.paddingLeft = view.textX + 'px';
    made.addEventListener('click', () => row.kind === FOLD ? unfold(view, row) : goTo(view, r));
    return made;
}

/* Puts what can be seen into the page. */
function draw(view) {
    const box = view.box, all = view.all;
    const first = all ? 0 : Math.max(0, Math.floor(box.scrollTop / ROW) - 4);
    const last = all ? view.rows.length - 1 : Math.min(view.rows.length - 1, Math.ceil((box.scrollTop + (box.clientHeight || 700)) / ROW) + 4);
    const image = svg('svg', {width: view.textX, height: (last - first + 1) * ROW, 'aria-hidden': 'true'},
        ...drawLines(view, first, last), ...drawHolds(view, first, last), ...drawRuns(view, first, last), ...drawRows(view, first, last));
    const made = [];

    image.style.top = first * ROW + 'px';
    for (let r = first; r <= last; r++)
        made.push(rowElement(view, r));
    view.inner.replaceChildren(...made, image);
}

function layOut(view) {
    const story = view.story, width = view.box.clientWidth || 700, narrow = width < 420;
    const lanes = Math.max(1, story.columns), least = 24 + SLOT * story.slots;

    view.laneWidth = Math.max(least, Math.min(narrow ? least : 72, Math.floor(width * .3 / lanes)));
    view.box.classList.toggle('narrow', narrow);
    view.textX = NUMBERS + view.laneWidth * lanes + 8;
    /* Many lanes are scrolled sideways: the words need some room, too. */
    for (const item of [view.inner, view.heads])
        item.style.width = Math.max(width, view.textX + (narrow ? 110 : 230)) + 'px';
    view.heads.replaceChildren(...story.threads.flatMap((thread, lane) => {
        if (thread.aside)
            return [];
        const [name, ...rest] = thread.title.split(' ');
        const head = el('span', {class: threadClass(thread.title), title: clean(thread.title)}, name,
            narrow ? null : el('small', {}, rest.join(' ')));

        head.style.left = laneX(view, lane) + 'px';
        head.style.maxWidth = view.laneWidth - 6 + 'px';
        return [head];
    }));
}
