// Draws one Plotly figure, or the slider that scrubs some of them, into a node that is kept over reruns. Written for
// dashboard/plot.py, which packs the data.
//
// The habits below each answer a fault seen in a browser:
// * Streamlit calls the cleanup of a run that newer data overtook while the node lives on: purge only when detached.
// * A load may end after a newer render began: every draw asks first whether it is still the newest.
// * Handlers live as long as the node, `setStateValue` only as long as a render: always use the newest one.

const loads = {};
const groups = new Map();
const tables = new Map(); // the open ones, by key of the figure: its node, or the one that Streamlit made anew
const KEY_PAUSE = 300; // ms after the last key press until a scrubbed frame is committed
const SCENE = 0.9; // height of a scene at most, as a part of its width
const LABELS = 150; // px that the labels left and right of a cube take, however small it is
const BADGE = 280; // px of width that the longest badge takes beside the labels of an axis
const SLACK = 12; // px of height that are not worth a second drawing
const DETACHED = 1000; // ms a node may be out of the page before it is purged (Streamlit moves nodes)

export function render(component, head, buffer) {
  const root = component.parentElement.querySelector(".pc-plot");
  const me = (root._pc ??= head.frames ? scrubber(root) : figure(root));
  me.emit = (name, value) => component.setStateValue(name, value);
  me.trigger = (name, value) => component.setTriggerValue(name, value);
  me.head = head;
  me.decoded = new Map();
  me.buffer = buffer;
  if (head.frames) {
    fill(me);
  } else {
    describe(me);
    join(me);
    redraw(me);
  }
  return () => leave(me);
}

// Changes only the layout of a figure that `render` draws, such as its shapes: a fraction of the cost of drawing it all.
export function relayout(component, changes) {
  const me = component.parentElement.querySelector(".pc-plot")._pc;
  Object.assign(me.head.figure.layout, changes);
  if (me.light) return; // the change that waits will take the newest
  me.light = true;
  enqueue(me, async () => {
    me.light = false;
    if (!me.root.isConnected || !me.gd._fullLayout) return; // the first draw takes it all
    const names = Object.keys(changes);
    const newest = Object.fromEntries(names.map((name) => [name, me.head.figure.layout[name]]));
    await globalThis.Plotly.relayout(me.gd, paint(newest, palette(me.root)));
  });
}

// ---- the node ------------------------------------------------------------------------------------------------------

function figure(root) {
  const me = { root, work: Promise.resolve(), dirty: false, leaving: 0, group: null, spare: 0 };
  me.gd = root.appendChild(document.createElement("div"));
  me.gd.className = "pc-picture";
  me.size = "";
  new ResizeObserver(() => resized(me)).observe(me.gd);
  return me;
}

function describe(me) {
  const { gd, head } = me;
  gd.setAttribute("role", "figure");
  gd.setAttribute("aria-label", head.alt);
  gd.style.height = `${head.height - me.spare}px`;
  offerTable(me);
  hold(me, me.spare > 0);
}

// A button under the figure, which the server answers with the table below it.
function offerTable(me) {
  const { key, table, figure } = me.head;
  if (!table) return me.table?.remove();
  me.table ??= tableButton(me);
  if (tables.has(key)) tables.set(key, me);
  me.table.textContent = table;
  me.table.setAttribute("aria-label", `${table}: ${plain(figure.layout?.title?.text ?? key)}`);
  me.table.setAttribute("aria-expanded", tables.has(key));
  me.gd.after(me.table);
}

function tableButton(me) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "pc-table";
  button.addEventListener("click", () => {
    const open = !tables.delete(me.head.key);
    if (open) tables.set(me.head.key, me);
    button.setAttribute("aria-expanded", open);
    me.emit("table", open);
  });
  return button;
}

// The words of a text that may hold Plotly's markup.
const plain = (text) => new DOMParser().parseFromString(text.replaceAll("<br>", " "), "text/html").body.textContent;

function resized(me) {
  if (!me.root.isConnected) return leave(me);
  const size = `${me.gd.clientWidth}x${me.gd.clientHeight}`;
  if (size === me.size || !me.gd.clientWidth) return;
  redraw(me); // also the first draw of a figure that was hidden until now, in a tab or an expander
}

function leave(me) {
  clearTimeout(me.leaving);
  me.leaving = setTimeout(() => enqueue(me, () => {
    if (me.root.isConnected) return;
    me.group?.figures.delete(me);
    if (me.group?.slider === me) me.group.slider = null;
    if (me.gd) globalThis.Plotly?.purge(me.gd);
    if (tables.get(me.head.key) === me) tables.delete(me.head.key); // the server has forgotten it too
  }), DETACHED);
}

// ---- drawing -------------------------------------------------------------------------------------------------------

function enqueue(me, task) {
  me.work = me.work.then(task).catch((error) => console.error(error));
  return me.work;
}

function redraw(me) {
  if (me.dirty) return; // the draw that waits will take the newest data
  me.dirty = true;
  enqueue(me, async () => {
    const Plotly = await plotly(me);
    me.dirty = false;
    if (!Plotly || !me.root.isConnected || !me.gd.clientWidth) return;
    const colours = palette(me.root);
    const frame = scrubbed(me);
    const top = above(me);
    const wanted = [me.head.digest, frame?.name, me.gd.clientWidth, top, colours.page, colours.font].join("/");
    if (wanted === me.drawn && me.gd._fullLayout) return; // a rerun that changed nothing here
    if (!me.gd._fullLayout) me.gd.textContent = ""; // an earlier complaint
    const { data, layout } = picture(me, frame, colours, top);
    me.size = `${layout.width}x${layout.height}`;
    await Plotly.react(me.gd, data, layout, config(me, Plotly));
    if (fit(me)) await Plotly.relayout(me.gd, { height: me.head.height - me.spare });
    me.drawn = wanted;
    listen(me);
    reachable(me.gd);
  });
}

// A square or a scene on a narrow page: takes away the height that it has no use for; says whether that changed it.
function fit(me) {
  const { _size: { w, h }, yaxis, scene } = me.gd._fullLayout;
  const wanted = yaxis?.scaleanchor ? w : scene ? SCENE * w : Infinity;
  const spare = Math.max(0, Math.round(me.spare + h - wanted));
  if (Math.abs(spare - me.spare) < SLACK) return false;
  me.spare = spare;
  me.gd.style.height = `${me.head.height - spare}px`;
  me.size = `${me.gd.clientWidth}x${me.head.height - spare}`;
  hold(me, spare > 0);
  return true;
}

// As high as what is in it, or else as the server asked for, who does not know of the mode bar below a figure.
function hold(me, asIs) {
  const held = me.root.closest("[data-testid=stElementContainer]");
  if (held) Object.assign(held.style, asIs || touch() ? { height: "auto", flexBasis: "auto" } : { height: "", flexBasis: "" });
}

async function plotly(me) {
  const url = new URL(me.head.plotly, document.baseURI).href;
  try {
    return await (loads[url] ??= script(url));
  } catch (error) {
    delete loads[url];
    me.gd.textContent = "The drawing library could not be loaded from the server. Reload the page to try again.";
    console.error(error);
    return null;
  }
}

function script(url) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.onload = () => {
      globalThis.Plotly.setPlotConfig({ logging: 0 }); // it warns, with a stack trace, of every bar with a colour axis
      resolve(globalThis.Plotly);
    };
    element.onerror = () => reject(new Error(`cannot load ${url}`));
    element.src = url;
    document.head.append(element);
  });
}

function picture(me, frame, colours, top) {
  const { head } = me;
  const packed = frame ? decode(frame.owner, frame.figure) : decode(me, head.figure);
  const { data, layout = {} } = enlarged(paint(packed, colours), scaleOf(head));
  const opaque = (colour) => (!colour || colour === "rgba(0,0,0,0)" ? colours.page : colour); // so that exports are legible
  const fitting = far(wrapped(leftmost(layout, me.gd.clientWidth), me.gd.clientWidth), me.gd.clientWidth - 32);
  return {
    data,
    layout: {
      ...fitting,
      ...(top ? { margin: { ...fitting.margin, t: top } } : {}),
      paper_bgcolor: opaque(layout.paper_bgcolor),
      plot_bgcolor: opaque(layout.plot_bgcolor),
      ...(head.select && layout.dragmode === undefined ? { dragmode: "select" } : {}),
      ...(touch() ? { dragmode: false } : {}), // a finger scrolls the page; the mode bar still offers zoom
      autosize: false,
      width: me.gd.clientWidth,
      height: head.height - me.spare,
      uirevision: head.data_id,
      template: enlarged(template(colours), scaleOf(head)),
    },
  };
}

// The height of the titles of a group: pictures side by side are of one size, whichever has the longer title.
function above(me) {
  const level = me.gd.getBoundingClientRect().top;
  const beside = [...(me.group?.figures ?? [])].filter(({ gd }) => gd.clientWidth && gd.getBoundingClientRect().top === level);
  return beside.length > 1 ? Math.max(...beside.map(titled)) : 0;
}

function titled(me) {
  const { title, margin } = (scrubbed(me)?.figure ?? me.head.figure).layout ?? {};
  return wrapped(enlarged({ title, margin }, scaleOf(me.head)), me.gd.clientWidth).margin?.t ?? 0;
}

const touch = () => matchMedia("(pointer: coarse)").matches;

// A phone that opens a projector's link has no room for its type.
function scaleOf(head) {
  return innerWidth < 640 ? 1 : (head.scale ?? 1);
}

// For a projector: all type, and the margins that hold it.
function enlarged(node, scale, key = "") {
  if (scale === 1 || node === null || typeof node !== "object" || ArrayBuffer.isView(node) || node.bdata) return node;
  if (Array.isArray(node)) return typeof node[0] === "object" ? node.map((item) => enlarged(item, scale, key)) : node;
  const grown = (name, item) =>
    typeof item !== "number" ? enlarged(item, scale, name)
      : key === "margin" ? (name === "b" ? 1 : 1.2) * scale * item // the words above and beside it wrap sooner
      : /font$/.test(key) && name === "size" || name === "yshift" ? scale * item
      : item;
  return Object.fromEntries(Object.entries(node).map(([name, item]) => [name, grown(name, item)]));
}

// In a narrow column, such as that of a pin, the badge starts at the edge of the figure, or its end would be cut off.
function leftmost(layout, width) {
  if (width >= BADGE || !layout.annotations) return layout;
  const xshift = 8 - (layout.margin?.l ?? 0);
  const annotations = layout.annotations.map((note) => (["banner", "label"].includes(note.name) ? { ...note, xshift } : note));
  return { ...layout, annotations };
}

// Breaks a title and its subtitle where the page is too narrow for them, and makes room for the new lines.
function wrapped(layout, width) {
  if (!layout.title?.text) return layout;
  const { title, margin = {} } = layout;
  const size = title.font?.size ?? 15;
  const small = title.subtitle?.font?.size ?? 13;
  const text = broken(title.text, (width - 16) / (0.56 * size));
  const below = broken(title.subtitle?.text ?? "", (width - 16) / (0.52 * small));
  const more = lines(text, title.text);
  const extra = 1.3 * (size * more + small * lines(below, title.subtitle?.text ?? ""));
  if (!extra) return layout;
  const subtitle = title.subtitle && { ...title.subtitle, text: below };
  const pad = { ...title.pad, t: (title.pad?.t ?? 0) + 0.65 * size * more }; // plotly centres the lines on the first
  return { ...layout, title: { ...title, text, subtitle, pad }, margin: { ...margin, t: (margin.t ?? 40) + extra } };
}

// On a narrow page the camera steps back from a cube, until its labels fit beside it.
function far(layout, width) {
  const { scene } = layout;
  if (!scene?.camera?.eye) return layout;
  const by = Math.max(1, (0.8 * SCENE * width) / (width - LABELS)); // the cube is 0.8 of the height wide
  const eye = Object.fromEntries(Object.entries(scene.camera.eye).map(([axis, at]) => [axis, by * at]));
  return { ...layout, scene: { ...scene, camera: { ...scene.camera, eye } } };
}

const lines = (after, before) => after.split("<br>").length - before.split("<br>").length;

function broken(text, room) {
  let used = 0;
  return text.split(" ").reduce((line, word) => {
    const length = word.replace(/<[^>]*>/g, "").length;
    const fits = used + length < room;
    used = fits && !word.includes("<br>") ? used + length + 1 : length + 1;
    return line === "" ? word : `${line}${fits ? " " : "<br>"}${word}`;
  }, "");
}

// One object as long as nothing in it changes: Plotly.react starts from nothing, zoom lost, when it gets another one.
function config(me, Plotly) {
  const { head } = me;
  const room = !touch() || me.gd.clientWidth >= BADGE; // one row is all that the bar of a touch screen has
  const wanted = `${head.select}/${head.name}/${room}`;
  if (me.config?.wanted !== wanted) me.config = { wanted, value: fresh(head, Plotly, room) };
  return me.config.value;
}

function fresh(head, Plotly, room) {
  const svg = {
    name: "Download as SVG",
    title: "Download as SVG",
    icon: Plotly.Icons.disk,
    click: (gd) => Plotly.downloadImage(gd, { format: "svg", filename: head.name }),
  };
  return {
    displaylogo: false,
    plotlyServerURL: "", // nothing leaves the machine
    modeBarButtonsToRemove: [
      "sendChartToCloud", "sendDataToCloud", "lasso2d",
      ...(head.select ? [] : ["select2d"]),
      ...(touch() ? ["autoScale2d"] : []), // the reset is as good
      ...(room ? [] : ["zoomIn2d", "zoomOut2d"]),
    ],
    modeBarButtonsToAdd: [svg],
    toImageButtonOptions: { format: "png", scale: 2, filename: head.name },
    scrollZoom: false,
    responsive: false, // it watches the window only; the ResizeObserver watches the node
  };
}

function reachable(gd) {
  for (const button of gd.querySelectorAll(".modebar-btn")) {
    if (button.dataset.pc) continue;
    button.dataset.pc = "1";
    button.tabIndex = 0;
    button.setAttribute("role", "button");
    button.setAttribute("aria-label", button.dataset.title ?? button.getAttribute("data-title") ?? "");
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      button.click();
    });
  }
}

// ---- data: numbers as raw bytes ------------------------------------------------------------------------------------

const TYPES = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array,
  i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};

export function decode(me, node) {
  if (Array.isArray(node)) return node.map((item) => decode(me, item));
  if (node === null || typeof node !== "object") return node;
  if (Array.isArray(node.bdata)) return array(me, node);
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, decode(me, item)]));
}

// The same bytes give the same object, so that Plotly sees that nothing changed from one frame to the next.
function array(me, { dtype, shape, bdata: [offset, length] }) {
  const key = `${offset}/${dtype}/${shape ?? ""}`;
  if (!me.decoded.has(key)) {
    const bdata = me.buffer.slice(offset, offset + length);
    me.decoded.set(key, shape ? { dtype, shape, bdata } : new TYPES[dtype](bdata));
  }
  return me.decoded.get(key);
}

// ---- theme ---------------------------------------------------------------------------------------------------------

export function palette(root) {
  const page = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  root.classList.toggle("pc-dark", isDark(page));
  const style = getComputedStyle(root);
  return {
    colour: (name) => style.getPropertyValue(name).trim(),
    font: style.getPropertyValue("--st-font").trim() || "sans-serif",
    page: page || style.getPropertyValue("--pc-background").trim(),
  };
}

function isDark(colour) {
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = colour || "#ffffff";
  const hex = canvas.fillStyle;
  if (!hex.startsWith("#")) return false;
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

// Puts the theme's colours in the place of tokens such as "var(--pc-release)" and "var(--pc-release/20)".
function paint(node, colours) {
  if (typeof node === "string") return node.startsWith("var(--") ? shade(node, colours) : node;
  if (Array.isArray(node)) return typeof node[0] === "number" && typeof node.at(-1) === "number" ? node : node.map((item) => paint(item, colours));
  if (node === null || typeof node !== "object" || ArrayBuffer.isView(node) || node.bdata) return node;
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, paint(item, colours)]));
}

function shade(text, colours) {
  const [, name, percent] = /^var\((--[\w-]+)(?:\/(\d+))?\)$/.exec(text) ?? [];
  const hex = name && colours.colour(name);
  if (!hex || percent === undefined) return hex || text;
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return `rgba(${red},${green},${blue},${Number(percent) / 100})`;
}

function template({ colour, font, page }) {
  const [text, muted, grid, edge] = ["text", "muted", "grid", "edge"].map((role) => colour(`--pc-${role}`));
  const axis = {
    gridcolor: grid, zerolinecolor: edge, linecolor: edge, tickcolor: edge, automargin: true,
    tickfont: { color: text }, title: { font: { color: text }, standoff: 8 },
  };
  const scene = { ...axis, backgroundcolor: page, showbackground: false, automargin: undefined };
  return {
    layout: {
      font: { color: text, family: font, size: 13 },
      title: { font: { size: 15 }, x: 0, xref: "paper", xanchor: "left" },
      paper_bgcolor: page,
      plot_bgcolor: page,
      colorway: ["release", "private", "green", "pink", "sky", "yellow"].map((role) => colour(`--pc-${role}`)),
      xaxis: axis,
      yaxis: axis,
      scene: { xaxis: scene, yaxis: scene, zaxis: scene },
      hoverlabel: { bgcolor: page, bordercolor: edge, font: { color: text, family: font, size: 13 }, align: "left" },
      legend: { bgcolor: "rgba(0,0,0,0)", font: { color: text } },
      colorscale: { sequential: "Cividis", sequentialminus: "Cividis" },
      coloraxis: { colorbar: { outlinewidth: 0, tickfont: { color: text } } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: muted, activecolor: text },
      margin: { l: 48, r: 16, t: 40, b: 40 },
      newselection: { line: { color: text, width: 1.5 } },
      activeselection: { fillcolor: colour("--pc-release"), opacity: 0.1 },
    },
  };
}

// ---- selection -----------------------------------------------------------------------------------------------------

function listen(me) {
  if (me.gd._pcListening === me.gd.on) return;
  me.gd._pcListening = me.gd.on;
  me.gd.on("plotly_selected", (event) => {
    if (!me.head.select || !event?.range) return;
    const axes = Object.keys(event.range);
    const range = Object.fromEntries(axes.map((axis) => [axis, [...event.range[axis]].sort((a, b) => a - b)]));
    me.emit("selection", { data_id: me.head.data_id, range, points: event.points.length });
  });
  me.gd.on("plotly_deselect", () => me.head.select && me.emit("selection", null));
}

// ---- scrubbing: frames are shown while the slider is dragged, and committed when it is let go ----------------------

function groupOf(name) {
  if (!groups.has(name)) groups.set(name, { figures: new Set(), slider: null, frame: null, at: 0, own: null, held: false, timer: 0 });
  return groups.get(name);
}

const busy = (group) => group.held || group.timer;

function join(me) {
  me.group?.figures.delete(me);
  me.group = me.head.group ? groupOf(me.head.group) : null;
  if (!me.group) return;
  me.group.figures.add(me);
  me.group.at = me.head.at ?? 0;
  me.group.own = me.head.own ?? null;
  for (const other of me.group.figures) if (other !== me) redraw(other); // the space above it may have changed
  if (busy(me.group)) return; // the hand is on the slider: what it shows is newer than what the server sent
  me.group.frame = null;
  place(me.group, me.group.at, me.group.own);
}

// The frame that stands for a figure while its slider is moved, null if it shows its own picture.
function scrubbed(me) {
  const { slider: owner, frame } = me.group ?? {};
  const figure = owner && frame !== null && owner.head.frames.figures[me.head.key]?.[frame];
  return figure ? { owner, figure, name: `${owner.head.digest}/${frame}` } : null;
}

function scrubber(root) {
  const me = { root, work: Promise.resolve(), leaving: 0, group: null };
  me.node = root.appendChild(document.createElement("div"));
  me.node.innerHTML = `<div class="pc-scrub"><label></label><output></output><input type="range" min="0" step="1">
    <span class="pc-low"></span><span class="pc-high"></span></div><dl class="pc-notes"></dl>`;
  me.input = me.node.querySelector("input");
  me.input.addEventListener("pointerdown", () => { me.group.held = true; });
  me.input.addEventListener("input", () => show(me.group, Number(me.input.value)));
  me.input.addEventListener("change", () => {
    clearTimeout(me.group.timer);
    me.group.timer = setTimeout(() => commit(me), me.group.held ? 0 : KEY_PAUSE);
  });
  for (const end of ["pointerup", "pointercancel"]) me.input.addEventListener(end, () => setTimeout(() => { me.group.held = false; }));
  document.addEventListener("keydown", (event) => presented(me, event));
  return me;
}

// Before an audience the arrow keys move the slider from wherever the focus is, unless something there wants them.
function presented(me, event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const wanted = event.target.closest?.("input, textarea, select, [role=slider], [role=radio], [role=tab], [role=listbox], [role=combobox]");
  const onProjector = [...(me.group?.figures ?? [])].some((figure) => figure.head.scale > 1);
  if (!step || wanted || !onProjector || !me.root.isConnected || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  me.input.value = Number(me.input.value) + step;
  for (const name of ["input", "change"]) me.input.dispatchEvent(new Event(name));
}

function fill(me) {
  palette(me.root); // says whether the page is dark
  const { frames, key } = me.head;
  const [label, low, high] = ["label", ".pc-low", ".pc-high"].map((name) => me.node.querySelector(name));
  me.input.id = `pc-${key}`;
  me.input.max = frames.labels.length - 1;
  label.htmlFor = me.input.id;
  label.textContent = frames.label;
  low.textContent = frames.low;
  high.textContent = frames.high;
  me.group = groupOf(key);
  me.group.slider = me;
  me.node.querySelector("dl").replaceChildren(...(frames.notes[0] ?? []).map(([name]) => pair(name, frames.meanings[name])));
  hold(me, true); // its numbers may take two lines
  if (!busy(me.group)) place(me.group, me.group.at, me.group.own);
}

// A number and its name, which explains itself when it is asked.
function pair(name, meaning) {
  const node = document.createElement("div");
  const [term] = ["dt", "dd"].map((tag) => node.appendChild(document.createElement(tag)));
  term.textContent = name;
  if (meaning) term.append(...explained(name, meaning));
  return node;
}

function explained(name, meaning) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "pc-why", textContent: "?" });
  const words = Object.assign(document.createElement("div"), { popover: "auto", className: "pc-meaning", textContent: meaning });
  button.setAttribute("aria-label", `${name}: what it means`);
  button.popoverTargetElement = words;
  button.popoverTargetAction = "show";
  words.addEventListener("beforetoggle", () => beside(words, button));
  button.addEventListener("pointerenter", ({ pointerType }) => pointerType === "mouse" && words.showPopover());
  button.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && words.hidePopover());
  return [button, words];
}

// Below a button in the upper half of the window, above one in the lower half; as wide as plot.css says at most.
function beside(words, button) {
  const { left, top, bottom } = button.getBoundingClientRect();
  const low = top > innerHeight / 2;
  Object.assign(words.style, {
    left: `max(8px, min(${left}px, 100vw - 20rem - 8px))`,
    top: low ? "auto" : `${bottom + 6}px`,
    bottom: low ? `${innerHeight - top + 6}px` : "auto",
  });
}

// Shows where the slider stands: at a frame, or between two of them, where a figure says its own.
function place(group, index, own = null) {
  if (!group.slider) return;
  const { input, node, head: { frames } } = group.slider;
  const state = Math.min(index, frames.labels.length - 1);
  const [label, notes] = own ?? [frames.labels[state], frames.notes[state] ?? []];
  input.value = state;
  input.setAttribute("aria-valuetext", label);
  node.querySelector("output").textContent = label;
  node.querySelectorAll("dd").forEach((value, i) => { value.textContent = notes[i][1]; });
}

function show(group, index) {
  group.frame = index;
  place(group, index);
  for (const me of group.figures) redraw(me);
}

// A trigger, not a state: the page may have turned the dial elsewhere since, and then the same frame is news.
function commit(me) {
  me.group.timer = 0;
  if (me.root.isConnected) me.trigger("frame", Number(me.input.value));
}
