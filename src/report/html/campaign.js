/* ---- what a campaign has come to ---- */

const campaign = (() => {
    const element = document.getElementById('campaign');

    return element ? JSON.parse(element.textContent) : undefined;
})();

const short = number => number >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(2)));

function shortTime(seconds) {
    return seconds >= 7200 ? short(seconds / 3600) + ' h' : seconds >= 120 ? short(seconds / 60) + ' min' : short(seconds) + ' s';
}

/* An element of a drawing. */
function shape(name, attributes, ...inside) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);

    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    for (const item of inside.flat(Infinity))
        made.append(item instanceof Node ? item : clean(item));
    return made;
}

/* Round numbers from 0 on, about four of them. */
function ticksTo(most) {
    const rough = Math.max(most, 1) / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].find(factor => factor * power >= rough) * power), ticks = [];

    for (let tick = 0; tick <= most; tick += step)
        ticks.push(tick);
    return ticks;
}

/* A curve over rounds: of each point [rounds, seconds, …] the value `at`. It rises in steps: what was seen stays seen. */
function curve(title, at, colour) {
    const wide = 460, high = 190, left = 46, bottom = 38, top = 10, right = 12;
    const points = campaign.curve, lastOf = points[points.length - 1], mostX = lastOf[0], mostY = Math.max(1, lastOf[at]);
    const x = value => left + (wide - left - right) * value / mostX, y = value => high - bottom - (high - bottom - top) * value / mostY;
    let path = 'M' + x(0) + ' ' + y(0);

    for (const point of points)
        path += 'H' + x(point[0]).toFixed(1) + 'V' + y(point[at]).toFixed(1);
    return el('figure', {class: 'plot'}, el('figcaption', {}, title),
        shape('svg', {viewBox: '0 0 ' + wide + ' ' + high, role: 'img', class: colour,
            'aria-label': title + ': ' + lastOf[at] + ' after ' + mostX + ' rounds'},
        ticksTo(mostY).map(tick => [shape('line', {class: 'grid', x1: left, x2: wide - right, y1: y(tick), y2: y(tick)}),
            shape('text', {x: left - 6, y: y(tick) + 4, 'text-anchor': 'end'}, String(tick))]),
        ticksTo(mostX).map(tick => shape('text', {x: x(tick), y: high - bottom + 16, 'text-anchor': 'middle'}, String(tick))),
        shape('text', {x: (left + wide - right) / 2, y: high - 4, 'text-anchor': 'middle'}, 'rounds'),
        shape('path', {class: 'area', d: path + 'V' + y(0) + 'Z'}), shape('path', {class: 'line', d: path})));
}

/* ---- which parameters mattered ---- */

function parametersOf(helps) {
    const parameters = new Map();

    for (const help of helps) {
        const key = help.mode + ' ' + help.name;

        parameters.set(key, [...parameters.get(key) || [], help]);
    }
    return [...parameters].map(([name, values]) => ({name, values, most: Math.max(...values.map(value => value.gain))}))
        .filter(({values, most}) => values.length > 1 && most > 0).sort((a, b) => differenceIn(b) - differenceIn(a));
}

/* How far its values are apart, as a share of the best: of what was tried often enough to say so. */
function differenceIn({values, most}) {
    const gains = values.filter(value => value.rounds >= 3).map(value => value.gain);

    return gains.length > 1 ? (Math.max(...gains) - Math.min(...gains)) / most : 0;
}

function bars({name, values, most}) {
    const numbers = values.every(({value}) => isFinite(value));
    const sorted = numbers ? [...values].sort((a, b) => a.value - b.value) : values;
    const high = 20 * sorted.length;

    return el('figure', {class: 'bars'}, el('figcaption', {}, name),
        shape('svg', {viewBox: '0 0 300 ' + high, role: 'img',
            'aria-label': name + ': ' + sorted.map(value => value.value + ' ' + short(value.gain)).join(', ')},
        sorted.map(({value, gain, rounds}, i) => [
            shape('text', {x: 92, y: 20 * i + 14, 'text-anchor': 'end'}, value),
            shape('rect', {class: rounds < 3 ? 'few' : 'gain', x: 98, y: 20 * i + 4, height: 12, width: Math.max(1, 120 * gain / most)}),
            shape('text', {class: 'soft', x: 104 + 120 * gain / most, y: 20 * i + 14}, short(gain) + ' (' + rounds + ')')])));
}

/* ---- tables ---- */

function table(heads, rows) {
    return el('div', {class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': heads[0]},
        el('table', {}, el('thead', {}, el('tr', {}, heads.map(head => el('th', {scope: 'col'}, head)))),
            el('tbody', {}, rows.map(row => el('tr', {}, row.map((cell, i) => el(i ? 'td' : 'th', i ? {} : {scope: 'row'}, cell)))))));
}

function settingOf(best) {
    const own = Object.entries(best.parameters).map(([name, value]) => name + '=' + value).join(' ');

    return [el('code', {}, "DARN_OPTIONS=\"" + best.options + '"'), own ? [' with ', el('code', {}, own)] : null];
}

function section(title, about, ...inside) {
    return el('section', {'aria-label': title}, el('h3', {}, title), about ? el('p', {class: 'note'}, about) : null, inside);
}

function coverageText() {
    if (!campaign.coverage)
        return 'No coverage was seen.';
    return 'Coverage: ' + count(campaign.coverage, 'fact') + (campaign.wait > 0
        ? (campaign.wait >= 1 ? '; a new one about every ' + short(campaign.wait) + ' rounds, '
            : '; about ' + short(1 / campaign.wait) + ' new ones in a round, ') + Math.round(campaign.in_all) + ' in all at least.'
        : '; each was seen more than once: more of the same shows nothing new.');
}

function showCampaign() {
    const silent = campaign.tests.filter(test => test.remark === 'shows nothing').map(test => test.name);
    const parameters = parametersOf(campaign.helps);

    if (byId('list').querySelector('[aria-current]'))
        byId('list').querySelector('[aria-current]').removeAttribute('aria-current');
    byId('campaign-button').setAttribute('aria-current', 'true');
    current = -1;
    document.title = 'The campaign – darn';
    history.replaceState(null, '', '#');
    byId('finding').replaceChildren(el('header', {}, el('h2', {}, 'The campaign'),
        el('p', {}, count(campaign.rounds, 'round') + (campaign.shards > 1 ? ' in ' + campaign.shards + ' shards' : '') + ', ' +
            shortTime(campaign.seconds) + ' of tests; ' + count(campaign.findings, 'finding') + ', ' + campaign.confirmed + ' of them confirmed.'),
        el('p', {}, coverageText())));
    if (campaign.curve.length)
        byId('finding').append(section('Over time', '', el('div', {class: 'plots'},
            curve('Coverage: facts seen', 2, 't1'), curve('Findings', 3, 't5'))));
    if (parameters.length)
        byId('finding').append(section('Which parameters mattered',
            'New coverage, and 20 for each new finding, in a second of rounds (and in how many rounds), the first one of each test and mode aside; pale: fewer than three.',
            el('div', {class: 'plots'}, parameters.map(bars))));
    if (campaign.best.length)
        byId('finding').append(section('Best settings',
            'What has shown most that was new in a second, the first run of each test aside. To use one: put it before the command.',
            table(['Test', 'Setting', 'Rounds', 'New coverage', 'New findings'],
                campaign.best.map(best => [best.test, settingOf(best), best.rounds, best.coverage, best.findings]))));
    if (silent.length)
        byId('finding').append(section('Tests that show nothing', 'No coverage and no finding came from them first: they may be left out.',
            el('p', {}, silent.map((name, i) => [i ? ', ' : '', el('code', {}, name)]))));
    byId('finding').append(section('Tests', '', table(['Test', 'Rounds', 'Failed', 'Hung', 'New coverage', 'New findings', 'Seconds', ''],
        campaign.tests.map(test => [test.name, test.rounds, test.failed, test.hung, test.coverage, test.findings,
            test.seconds.toFixed(1), test.remark]))));
}

/* It comes first, unless a finding was asked for. */
function beginCampaign(wanted) {
    if (!campaign)
        return;
    byId('campaign-button').hidden = false;
    byId('campaign-button').addEventListener('click', showCampaign);
    if (!wanted)
        showCampaign();
}
