// Plays a story that dashboard/player.py packed: figures, layers over them, and sentences, all from one message.
//
// A step changes only shapes (a fraction of the cost of drawing a figure); a new scene draws its figure.
// Nothing is ever sent to the server. The step is in the address of the page, which only the browser reads and writes.

const players = new Set();
const STAGE_SECONDS = 4; // how long a stage after the first stays while playing: there is more to read
const LONGEST = 0.25; // s that a slow frame may count for: better a little late than a leap
const REST = 400; // ms that the player rests at a step before it is written into the address: browsers limit how often
const CALM = 2; // steps a second at most for a reader who asked for less motion

export function render(component, head, buffer) {
  const root = component.parentElement.querySelector(".pc-plot");
  const me = (root._player ??= build(root));
  players.add(me);
  if (me.head?.digest !== head.digest) adopt(me, head, buffer);
  import(new URL(head.plot, document.baseURI).href).then((plot) => {
    me.plot = plot;
    plot.palette(root); // the theme may be another one
    for (const picture of me.pictures) picture.scene = null;
    show(me, me.step);
  }).catch((error) => {
    me.sentence.textContent = head.words.failed;
    console.error(error);
  });
  return () => setTimeout(() => {
    if (root.isConnected) return;
    pause(me);
    players.delete(me);
    for (const picture of me.pictures) picture.leave?.();
  });
}

// ---- the node ------------------------------------------------------------------------------------------------------

function build(root) {
  const me = { root, step: 0, pictures: [], playing: false, speed: null };
  const node = root.appendChild(document.createElement("section"));
  node.className = "pc-player";
  node.innerHTML = `
    <p class="pc-problem" role="status" hidden></p>
    <nav class="pc-row pc-stages"></nav>
    <div class="pc-row">
      <button class="pc-back"></button><button class="pc-play"></button><button class="pc-step"></button>
      <button class="pc-next"></button><label class="pc-row"><span class="pc-speed"></span><select></select></label>
      <span class="pc-where"><label></label> <output></output></span>
    </div>
    <input type="range" min="0" step="1">
    <div class="pc-told"><p class="pc-about"><span class="pc-badge"></span> <span class="pc-cell"></span></p><p class="pc-sentence"></p><dl class="pc-numbers"></dl></div>
    <div class="pc-pictures"><div></div><div></div></div>
    <p class="pc-keys"></p>`;
  const part = (name) => node.querySelector(name);
  Object.assign(me, {
    node, problem: part(".pc-problem"), stages: part("nav"), play: part(".pc-play"), back: part(".pc-back"), forth: part(".pc-step"),
    next: part(".pc-next"), rate: part("select"), at: part("input"), where: part("output"), told: part(".pc-told"),
    badge: part(".pc-badge"), cell: part(".pc-cell"), sentence: part(".pc-sentence"), numbers: part("dl"), columns: part(".pc-pictures").children,
  });
  me.play.addEventListener("click", () => (me.playing ? pause(me) : play(me)));
  me.back.addEventListener("click", () => walk(me, me.step - 1));
  me.forth.addEventListener("click", () => walk(me, me.step + 1));
  me.next.addEventListener("click", () => leap(me));
  me.at.addEventListener("input", () => walk(me, Number(me.at.value)));
  me.rate.addEventListener("change", () => { me.speed = Number(me.rate.value); });
  return me;
}

// Takes a new story; where it is shown first is found once its numbers are there.
function adopt(me, head, buffer) {
  pause(me);
  me.before = me.arrays ? { arrays: me.arrays, step: me.step, stage: stageAt(me) } : { asked: inAddress() };
  me.head = head;
  me.buffer = buffer;
  me.arrays = null;
  label(me);
  for (const picture of me.pictures) picture.leave?.();
  me.pictures = head.pictures.map((picture) => ({ ...picture, component: { parentElement: holder(me, picture) }, scene: null }));
}

// The step that a new story opens at: what the link asks for; the same one of the same run, drawn anew; or the stage
// that the reader looks at, if it follows the tree.
function arrival(me) {
  const { before: { asked, arrays, step, stage }, head: { linked, stages } } = me;
  const found = me.travelled ?? asked;
  me.problem.hidden = true;
  me.travelled = undefined;
  if (linked && found != null) return requested(me, found);
  if (arrays && sameRun(arrays, me.arrays)) return step;
  return stage > 1 ? stages[stage].step : 0;
}

function sameRun(a, b) {
  const same = (x, y) => x.length === y.length && x.every((value, i) => Object.is(value, y[i]));
  return same(a.telling, b.telling) && same(a.columns.noise.values, b.columns.noise.values);
}

function holder(me, { key, column, layers }) {
  const node = holding(me, key);
  const able = layers.some(({ leads }) => leads != null);
  for (const [name, value] of Object.entries({ tabindex: 0, role: "group", "aria-label": me.head.words.cells })) {
    if (able) node.setAttribute(name, value);
    else node.removeAttribute(name);
  }
  me.columns[column].append(node);
  return node;
}

function holding(me, key) {
  const name = `pc-picture-${key}`;
  let node = me.node.querySelector(`.${name}`);
  if (!node) {
    node = document.createElement("div");
    node.className = name;
    for (const part of ["pc-plot", "pc-outline", "pc-tip"]) {
      const made = node.appendChild(document.createElement("div"));
      made.className = part;
      made.hidden = part !== "pc-plot";
    }
    pointable(me, key, node);
    node.addEventListener("pointerdown", (pressed) => {
      point(me, null);
      if (!pressed.target.closest(".draglayer")) return;
      addEventListener("pointerup", (event) => click(me, key, pressed, event), { once: true, capture: true });
    }, true);
  }
  return node;
}

// A click on a cell goes to its own step; one in which the pointer moved is a zoom. Plotly covers the page in between.
function click(me, key, pressed, event) {
  if (Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) > 3) return;
  const cell = under(me, key, event);
  if (cell >= 0) walk(me, leading(me, key).born[cell]);
}

// The layer of a picture whose elements can be pointed at.
const leading = (me, key) => me.arrays?.layers[key].find(({ leads }) => leads != null);

// The element under the pointer; -1 if there is none.
function under(me, key, { clientX, clientY }) {
  const layer = leading(me, key), sight = layer && axes(me, key, layer);
  if (!sight) return -1;
  const { left, top, xaxis, yaxis } = sight;
  const [right, down] = [clientX - left - xaxis._offset, clientY - top - yaxis._offset];
  if (right < 0 || right > xaxis._length || down < 0 || down > yaxis._length) return -1;
  return hit(layer, me.step, xaxis.p2d(right), yaxis.p2d(down));
}

function axes(me, key, { look }) {
  const gd = me.node.querySelector(`.pc-picture-${key} .pc-picture`);
  const { xaxis, [`yaxis${(look.yref ?? "y").slice(1)}`]: yaxis } = gd?._fullLayout ?? {};
  return yaxis && { ...gd.getBoundingClientRect().toJSON(), xaxis, yaxis };
}

// The last element that is there and holds a place: cells come level by level, so the smallest one.
const hit = ({ x0, y0, x1, y1, born, leads }, step, x, y) =>
  born.findLastIndex((_, i) => at(leads, i) <= step && x0[i] <= x && x < x1[i] && y0[i] <= y && y < y1[i]);

// ---- pointing at a cell, with the pointer or with the keys ----------------------------------------------------------

function pointable(me, key, node) {
  node.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch" && !event.buttons) point(me, { key, event });
  });
  for (const end of ["pointerleave", "blur"]) node.addEventListener(end, () => point(me, null));
  node.addEventListener("keydown", (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.target !== node || event.ctrlKey || event.metaKey || event.altKey || !leading(me, key)) return;
    if (move) point(me, { key, cell: next(me, key, move) });
    else if (event.key === "Escape") point(me, null);
    else if (event.key === "Enter" && me.pointed?.key === key) walk(me, leading(me, key).born[me.pointed.cell]);
    else return;
    event.preventDefault();
  });
}

// The next cell in sight, in the order in which they are asked.
function next(me, key, move) {
  const layer = leading(me, key), count = layer.born.length;
  const centre = (low, high, i) => (low[i] + high[i]) / 2;
  const begin = me.pointed?.key === key ? me.pointed.cell : move > 0 ? -1 : count;
  for (let i = begin + move; i >= 0 && i < count; i += move) {
    if (hit(layer, me.step, centre(layer.x0, layer.x1, i), centre(layer.y0, layer.y1, i)) === i) return i;
  }
  return Math.min(Math.max(begin, 0), count - 1);
}

// Says the numbers of a cell: that of an index, or the one under the pointer; null for none.
function point(me, wanted) {
  const picture = wanted && me.pictures.find(({ key }) => key === wanted.key);
  const quiet = !picture || !me.arrays || me.step >= (picture.silent ?? Infinity);
  const cell = quiet ? -1 : wanted.event ? under(me, wanted.key, wanted.event) : wanted.cell;
  const there = cell >= 0 && at(leading(me, wanted.key).leads, cell) <= me.step;
  const before = me.pointed;
  me.pointed = there ? { ...wanted, cell } : null;
  if (before && before.key !== me.pointed?.key) silence(me, before.key);
  if (there) tell(me);
}

const tips = (me, key) => me.node.querySelectorAll(`.pc-picture-${key} > :is(.pc-tip, .pc-outline)`);

function silence(me, key) {
  for (const node of tips(me, key)) {
    node.hidden = true;
    node.textContent = "";
  }
}

function tell(me) {
  const { pointed: { key, cell, event }, head: { words, tellings, waiting }, arrays, step } = me;
  const [outline, tip] = tips(me, key);
  const layer = leading(me, key), sight = axes(me, key, layer);
  if (!sight) return;
  const told = tellings[arrays.telling[layer.born[cell]]];
  const open = tellings[arrays.telling[step]].public;
  const fill = (template) => filled(me, template, cell);
  const known = words.knows.replace("{known}", () => fill(told.known));
  const said = layer.born[cell] > step ? [fill(waiting)] : open ? [known] : [fill(told.tip), known];
  tip.replaceChildren(badge(me, open), ...[fill(told.place), ...said].map(paragraph));
  tip.classList.toggle("pc-public", open);
  tip.setAttribute("aria-live", event ? "off" : "polite");
  outline.hidden = tip.hidden = false;
  const { xaxis, yaxis } = sight;
  const inside = (axis, value) => axis._offset + Math.min(Math.max(axis.d2p(value), 0), axis._length);
  const [left, right] = [layer.x0, layer.x1].map((ends) => inside(xaxis, ends[cell]));
  const [top, bottom] = [layer.y0, layer.y1].map((ends) => inside(yaxis, ends[cell])).sort((a, b) => a - b);
  Object.assign(outline.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  beside(me, tip, { left, right, top, bottom });
}

// Puts a tip to the right of a cell, or to the left of it, where it may cover the other picture but not this one; on a
// page that is too narrow above or below.
function beside(me, tip, { left, right, top, bottom }) {
  const GAP = 10, { offsetWidth: wide, offsetHeight: high, parentElement: holder } = tip;
  const begin = me.node.getBoundingClientRect().left - holder.getBoundingClientRect().left;
  const end = begin + me.node.clientWidth;
  const sides = [right + GAP, left - GAP - wide].filter((x) => x >= begin && x + wide <= end);
  const x = sides[0] ?? Math.min(Math.max(begin, (left + right - wide) / 2), end - wide);
  const above = top - GAP - high;
  const y = sides.length ? Math.min(top, Math.max(0, holder.clientHeight - high)) : above >= 0 ? above : bottom + GAP;
  Object.assign(tip.style, { left: `${x}px`, top: `${y}px` });
}

function badge({ head: { words } }, open) {
  const node = document.createElement("span");
  node.className = "pc-badge";
  node.textContent = open ? words.public : words.private;
  return node;
}

function paragraph(text) {
  const node = document.createElement("p");
  node.textContent = text;
  return node;
}

// ---- the step in the address ----------------------------------------------------------------------------------------

const inAddress = () => new URLSearchParams(location.search).get("step");

// The step that a link asks for: a number, or the name of a stage that follows the tree; else the nearest one, said.
function requested(me, asked) {
  const { head: { words, keys, stages }, problem } = me;
  const stage = keys.indexOf(asked);
  if (stage >= 0) return stages[stage].step;
  const number = asked.trim() === "" ? NaN : Number(asked);
  const used = Number.isNaN(number) ? 0 : Math.min(Math.max(Math.round(number), 0), last(me));
  const shown = asked.length > 40 ? `${asked.slice(0, 39)}…` : asked;
  const names = { asked: shown, last: grouped(last(me)), used: grouped(used) };
  const text = Number.isNaN(number) ? words.no_stage : words.no_step;
  problem.textContent = text.replace(/\{(\w+)\}/g, (_, name) => names[name]);
  problem.hidden = number === used;
  return used;
}

function address(me) {
  const { head: { linked, keys, stages, version }, root, step } = me;
  if (!linked || !me.arrays || !root.isConnected) return;
  const stage = stages.findIndex((one) => one.step === step);
  const kept = location.search.slice(1).split("&").filter((part) => part && !/^step(=|$)/.test(part));
  if (step > 0 && !kept.some((part) => part.startsWith("v="))) kept.unshift(`v=${version}`);
  if (step > 0) kept.push(`step=${stage > 1 ? keys[stage] : step}`);
  if (kept.join() === `v=${version}`) kept.pop(); // it says nothing alone
  const search = kept.length ? `?${kept.join("&")}` : "";
  if (search !== location.search) history.replaceState(history.state, "", location.pathname + search + location.hash);
}

function rested(me) {
  clearTimeout(me.resting);
  me.resting = setTimeout(() => me.playing || address(me), REST);
}

// Streamlit writes the address anew when a dial is turned, without the step; browsers that can't tell wait for the next.
globalThis.navigation?.addEventListener("currententrychange", ({ navigationType }) => {
  if (navigationType === "push") for (const me of players) rested(me);
});

// Back and forward: the next story is shown where its own address says.
addEventListener("popstate", () => {
  for (const me of players) {
    clearTimeout(me.resting);
    me.travelled = inAddress() ?? "start";
  }
});

function label(me) {
  const { head: { words, speeds, stages, key }, node } = me;
  node.setAttribute("aria-label", words.player);
  me.stages.setAttribute("aria-label", words.stages);
  for (const [button, word] of [[me.back, words.back], [me.forth, words.step], [me.next, words.next]]) button.textContent = word;
  node.querySelector(".pc-speed").textContent = words.speed;
  node.querySelector(".pc-where label").textContent = words.position;
  node.querySelector(".pc-keys").textContent = words.keys;
  me.at.id = node.querySelector(".pc-where label").htmlFor = `pc-${key}-at`;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const offered = speeds.filter((speed) => !calm || speed <= CALM);
  me.speed = offered.includes(me.speed) ? me.speed : offered[Math.min(1, offered.length - 1)];
  me.rate.replaceChildren(...offered.map((speed) => new Option(words.rate.replace("{speed}", speed), speed, false, speed === me.speed)));
  me.stages.replaceChildren(...stages.map(({ name, step }) => {
    const button = document.createElement("button");
    button.textContent = name;
    button.addEventListener("click", () => walk(me, step));
    return button;
  }));
}

// ---- moving --------------------------------------------------------------------------------------------------------

const last = (me) => me.arrays.telling.length - 1;

function walk(me, step) {
  pause(me);
  me.problem.hidden = true;
  me.travelled = undefined;
  show(me, step);
}

function leap(me) {
  const step = me.arrays.marks.find((mark) => mark > me.step);
  if (step !== undefined) walk(me, step);
}

function play(me) {
  if (!me.arrays) return;
  if (me.step === last(me)) show(me, 0);
  me.playing = true;
  me.clock = performance.now();
  me.due = 0;
  me.frame = requestAnimationFrame(() => tick(me));
  say(me);
}

function pause(me) {
  if (!me.playing) return;
  me.playing = false;
  cancelAnimationFrame(me.frame);
  say(me);
  rested(me);
}

function tick(me) {
  if (!me.root.isConnected) return pause(me);
  const now = performance.now();
  const stage = me.head.stages.some(({ step }) => step > 0 && step === me.step);
  me.due += Math.min((now - me.clock) / 1000, LONGEST) * (stage ? 1 / STAGE_SECONDS : me.speed);
  me.clock = now;
  if (me.due >= 1) {
    const coming = me.head.stages.find(({ step }) => step > me.step)?.step ?? last(me);
    const step = Math.min(me.step + Math.floor(me.due), coming);
    me.due -= Math.floor(me.due);
    show(me, step);
  }
  if (me.step === last(me)) return pause(me);
  me.frame = requestAnimationFrame(() => tick(me));
}

// Keys work when the player has the focus, and those that a page does not need itself also when no other part has it.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  for (const me of players) {
    const inside = me.root.contains(event.target);
    if (!me.arrays || !me.root.isConnected || !(inside || event.target.contains(me.root))) continue;
    if (event.target.tagName === "SELECT" || (event.key === " " && event.target.closest("button, .modebar-btn"))) continue;
    const keys = {
      ArrowLeft: () => walk(me, me.step - 1),
      ArrowRight: () => (event.shiftKey ? leap(me) : walk(me, me.step + 1)),
      " ": () => (me.playing ? pause(me) : play(me)),
      ...(inside && { Home: () => walk(me, 0), End: () => walk(me, last(me)) }),
    };
    if (!keys[event.key]) continue;
    event.preventDefault();
    keys[event.key]();
  }
});

// ---- showing a step ------------------------------------------------------------------------------------------------

function show(me, step) {
  if (!me.plot) return;
  if (!me.arrays) {
    me.arrays = decoded(me);
    step = arrival(me);
  }
  me.step = Math.min(Math.max(step, 0), last(me));
  say(me);
  for (const picture of me.pictures) draw(me, picture);
  point(me, me.pointed);
  if (!me.playing) rested(me);
}

const stageAt = ({ head: { stages }, step }) => stages.findLastIndex((stage) => stage.step <= step);

function decoded(me) {
  const { telling, columns, marks, pictures } = me.head;
  const layers = Object.fromEntries(pictures.map(({ key, layers }) => [key, layers]));
  return me.plot.decode({ decoded: new Map(), buffer: me.buffer }, { telling, columns, marks, layers });
}

function draw(me, picture) {
  const over = me.step >= (picture.until ?? Infinity);
  picture.component.parentElement.hidden = over;
  if (over) return;
  const shapes = me.arrays.layers[picture.key].map((layer) => shape(layer, me.step, me.arrays.columns)).filter(Boolean);
  const number = picture.scenes.findLastIndex(({ start }) => start <= me.step);
  const scene = picture.scenes[number];
  const alt = `${scene.alt} ${me.sentence.textContent}`;
  if (number === picture.scene) {
    me.plot.relayout(picture.component, { shapes: [...(scene.figure.layout.shapes ?? []), ...shapes] });
    picture.component.parentElement.querySelector(".pc-picture").setAttribute("aria-label", alt);
    return;
  }
  const { layout, data } = scene.figure;
  const figure = { data, layout: { ...layout, shapes: [...(layout.shapes ?? []), ...shapes] } };
  const { plotly, data_id, digest, key, scale } = me.head;
  const name = `${key}-${picture.key}`;
  const head = { plotly, data_id, alt, figure, key: name, name, height: Math.round(scene.height * scale), scale, select: false, digest: `${digest}/${number}` };
  picture.leave = me.plot.render(picture.component, head, me.buffer);
  picture.scene = number;
}

// ---- layers --------------------------------------------------------------------------------------------------------

// Numbers of elements; one number stands for all of them. What is not there counts as 0.
const at = (values, i) => (typeof values === "number" ? values : (values[i] ?? 0));

// A number of a named column at element i: its own, or made of other columns.
function value(columns, name, i) {
  const { values, total, most } = columns[name];
  if (total) return Object.entries(total).reduce((sum, [other, factor]) => sum + factor * value(columns, other, i), 0);
  if (most) return Math.max(...most.map((other) => value(columns, other, i)));
  return at(values, i);
}

function place(where, i, columns) {
  if (where.column === undefined) return at(where, i);
  return Math.asinh((value(columns, where.column, i) - where.centre) / where.scale);
}

function shape(layer, step, columns) {
  const path = layer.kind === "boxes" ? boxes(layer, step, columns) : dots(layer, step, columns);
  return path && { type: "path", path, ...layer.look };
}

function boxes({ x0, y0, x1, y1, born, gone, rows }, step, columns) {
  const parts = [];
  const count = (rows ?? born).length;
  for (let k = 0; k < count; k++) {
    const i = rows ? rows[k] : k;
    if (at(born, i) > step || step >= at(gone, i)) continue;
    const [left, low, right, high] = [x0, y0, x1, y1].map((where) => place(where, i, columns));
    if (Number.isFinite(left + low + right + high)) parts.push(`M${left},${low}H${right}V${high}H${left}Z`);
  }
  return parts.join("");
}

function dots({ x, y, start, stop, size: [a, b] }, step, columns) {
  const parts = [];
  for (let i = at(start, step - 1); i < at(stop, step - 1); i++) {
    const [h, v] = [place(x, i, columns), place(y, i, columns)];
    if (Number.isFinite(h + v)) parts.push(`M${h - a},${v}L${h},${v + b}L${h + a},${v}L${h},${v - b}Z`);
  }
  return parts.join("");
}

// ---- words ---------------------------------------------------------------------------------------------------------

// The sentence is a live region while the reader steps; while it plays it would only be noise.
function say(me) {
  const { head, arrays, step } = me;
  if (!arrays) return;
  const { words, tellings, stages } = head;
  const { text, verdict, tone, notes, place: cell, public: open } = tellings[arrays.telling[step]];
  const fill = (template) => filled(me, template, step - 1);
  me.told.setAttribute("aria-live", me.playing ? "off" : "polite");
  me.told.classList.toggle("pc-public", open);
  me.badge.textContent = open ? words.public : words.private;
  me.cell.textContent = fill(cell);
  me.sentence.textContent = fill(text);
  const pairs = notes.map(([name, value]) => pair(name, fill(value)));
  if (verdict) pairs.unshift(pair(words.verdict, verdict, `pc-verdict pc-${tone}`));
  me.numbers.replaceChildren(...pairs);
  me.play.textContent = me.playing ? words.pause : words.play;
  me.where.textContent = words.where.replace("{step}", grouped(step)).replace("{steps}", grouped(last(me)));
  me.at.max = last(me);
  me.at.value = step;
  me.at.setAttribute("aria-valuetext", me.where.textContent);
  const current = stageAt(me);
  [...me.stages.children].forEach((button, i) => (i === current ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current")));
  const off = { back: step === 0, forth: step === last(me), next: !arrays.marks.some((mark) => mark > step) };
  for (const [name, value] of Object.entries(off)) me[name].setAttribute("aria-disabled", value);
}

// A template with the numbers of an element.
const filled = ({ arrays: { columns } }, template, i) => template.replace(/\{(\w+)\}/g, (_, name) => number(columns, name, i));

function pair(name, value, kind = "") {
  const node = document.createElement("div");
  const [term, detail] = ["dt", "dd"].map((tag) => node.appendChild(document.createElement(tag)));
  term.textContent = name;
  detail.appendChild(document.createElement("span")).className = kind;
  detail.firstChild.textContent = value;
  return node;
}

const grouped = (value, digits = 0) =>
  value.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });

// A number that is not zero is never written as zero: the sentence says on which side of the threshold it is.
function number(columns, name, i) {
  const { digits, signed } = columns[name];
  const exact = value(columns, name, i);
  const size = Math.abs(exact);
  const zero = exact !== 0 && digits !== null && size < 0.5 * 10 ** -digits;
  const text = digits === null || zero
    ? size.toLocaleString("en-GB", { maximumSignificantDigits: zero ? 1 : 4 })
    : grouped(size, digits);
  return `${exact < 0 ? "\u2212" : signed ? "+" : ""}${text}`;
}
