// The page: one camera, cells side by side, the controls.

const $ = (id) => document.getElementById(id);
const root = document.documentElement;

/** An element with properties and children. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Heights above and below the view of a cell of this height: its words, and its observable if it has one. */
function margins(height, traced) {
  const small = height < 210;
  return { small, above: small ? 18 : 54, below: traced ? (small ? 16 : 46) : 0 };
}

/** Where the camera stands at first, in radians. */
const AZIMUTH = 0.55, ELEVATION = 0.3;
/** Width that the words of a cell need, in pixels. */
const LEAST_WIDTH = 190;

/** The direction from the middle of a scene to the camera. */
function backward(azimuth, elevation) {
  const c = Math.cos(elevation);
  return [c * Math.sin(azimuth), Math.sin(elevation), c * Math.cos(azimuth)];
}

function number(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e4 ? value.toExponential(1) : String(+value.toPrecision(3));
  return text.replace(/-/g, "−");
}

/** An element of a drawing with attributes. */
function drawn(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** The first observable of a cell below its view: its name, its value at the time shown, and its course. */
class Trace {
  /** `ends` are the ends of the vertical axis; what lies beyond is drawn there. */
  constructor({ name, times, values }, ends) {
    Object.assign(this, { name, times, values });
    const [low, high] = ends, height = (value) => Math.min(Math.max(value, low), high) - low, last = times[times.length - 1] || 1, tall = high - low || 1;
    const points = times.map((time, i) => `${100 * time / last},${20 - 18 * height(values[i]) / tall - 1}`);
    this.cursor = drawn("line", { x1: 0, x2: 0, y1: 0, y2: 20 });
    const course = drawn("svg", { viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" });
    course.append(drawn("polyline", { points: points.join(" ") }), this.cursor);
    // the value is never cut off: where there is little room, the name is
    const [, plain, unit] = /^(.*?)(?: \[(.*)\])?$/.exec(name);
    this.unit = unit && unit !== "-" ? ` ${unit}` : "";
    this.value = make("span", { className: "value" });
    const words = make("span", { className: "words", title: name }, make("span", { className: "name", textContent: `${plain}:` }), this.value);
    // the numbers at the ends of both axes; a curve without height has one
    const scale = make("span", { className: "scale" }, ...(low < high ? [high, low] : [low]).map((value) => make("span", { textContent: number(value) })));
    const span = make("span", { className: "scale" }, make("span", { textContent: `0 – ${number(last)} s` }));
    const plot = make("div", { className: "plot" }, scale, course, span);
    this.element = make("div", { className: "trace" }, words, plot);
  }

  show(time, [left, top, width, height], small) {
    const after = this.times.findIndex((own) => own > time + 1e-9), at = after < 0 ? this.times.length - 1 : after - 1;
    this.element.classList.toggle("small", small);
    Object.assign(this.element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    // a curve may begin later than the scene: an overlap begins with the first contact
    this.value.textContent = at < 0 ? "none yet" : `${number(this.values[at])}${this.unit}`;
    const x = 100 * Math.min(time / (this.times[this.times.length - 1] || 1), 1);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }
}

/**
 * The cells that set the common scales: those whose motion came to its end, so that one that diverged does not take the
 * colours, arrows and axes of the others; all where none did.
 */
function setting(cells) {
  const ended = cells.filter(({ ending }) => !ending);
  return ended.length ? ended : cells;
}

/** Smallest and largest value of the observable over the cells of each scene that set the scales. */
function ranges(cells) {
  const ends = new Map();
  for (const cell of cells) {
    const { scene, series } = cell;
    if (!series || !setting(cells.filter((other) => other.scene === scene && other.series)).includes(cell)) continue;
    const own = ends.get(scene) ?? [Infinity, -Infinity];
    for (const value of series.values) { own[0] = Math.min(own[0], value); own[1] = Math.max(own[1], value); }
    ends.set(scene, own);
  }
  return ends;
}

class Player {
  constructor(THREE, cells) {
    Object.assign(this, { THREE, cells, clock: 0, step: 0, playing: false });
    const all = cells.flatMap(({ replay }) => replay.header.times).sort((a, b) => a - b);
    this.times = all.filter((time, i) => i === 0 || time - all[i - 1] > 1e-9);
    this.frame();
    this.renderer = new THREE.WebGLRenderer({ antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setScissorTest(true);
    const bodies = cells.reduce((sum, { replay }) => sum + replay.header.stage.bodies.length, 0);
    this.renderer.shadowMap.enabled = bodies <= 4000;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    $("stage").prepend(this.renderer.domElement);
    this.camera = new THREE.PerspectiveCamera(32, 1);
    this.views = cells.map(({ scene, replay }) => {
      return new CellView(THREE, replay, this.boxes.get(scene), this.renderer.shadowMap.enabled);
    });
    this.labels = cells.map(({ scene, method }) => {
      const name = make("bdi", { textContent: method }), place = make("bdi", { textContent: scene });
      const label = make("div", { className: "label" }, make("b", {}, name), make("br"), make("span", {}, place), make("br"), make("span"));
      $("stage").append(label);
      return label;
    });
    const ends = ranges(cells);
    this.traces = cells.map(({ scene, series }) => {
      const trace = series ? new Trace(series, ends.get(scene)) : null;
      if (trace) $("stage").append(trace.element);
      return trace;
    });
    this.parts = [];
    if (cells.length > 1) $("stage").dataset.cells = cells.length > 4 ? "many" : "several";
    $("stage").style.setProperty("--cells", cells.length);
    this.tops = {};
    this.look();
    this.listen();
  }

  /**
   * What the camera shows: the box of the cells of a scene whose motion came to its end, or of all, about its middle.
   * Scenes are seen at the same size.
   */
  frame() {
    this.boxes = new Map();
    for (const cell of this.cells) {
      const { scene, replay: { header: { view } } } = cell;
      if (!setting(this.cells.filter((other) => other.scene === scene)).includes(cell)) continue;
      const box = this.boxes.get(scene) ?? { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
      this.boxes.set(scene, box);
      for (let i = 0; i < 3; i++) {
        box.low[i] = Math.min(box.low[i], view[0][i]);
        box.high[i] = Math.max(box.high[i], view[1][i]);
      }
    }
    this.half = [0, 0, 0];
    for (const box of this.boxes.values()) {
      box.origin = box.low.map((x, i) => (x + box.high[i]) / 2);
      box.half = box.low.map((x, i) => (box.high[i] - x) / 2);
      box.size = Math.max(Math.hypot(...box.half), 1e-9);
      this.half = this.half.map((x, i) => Math.max(x, box.half[i] / box.size));
    }
  }

  look() {
    this.azimuth = AZIMUTH;
    this.elevation = ELEVATION;
    this.target = [0, 0, 0];
    this.distance = 0;
    this.moved = false;
    this.draw();
  }

  options() {
    const quantity = $("colour").value;
    const cells = setting(this.cells), tops = () => cells.map((cell) => this.views[this.cells.indexOf(cell)].top(quantity));
    // where no motion came to its end, the calmest sets the scale
    const most = (values) => (cells.some(({ ending }) => !ending) ? Math.max(...values) : Math.min(...values));
    this.tops[quantity] ??= most(tops());
    const strongest = most(cells.map(({ replay }) => replay.header.impulse.top)) || 1;
    return { quantity, top: this.tops[quantity], strongest, arrow: 0.5 * Math.pow(2, +$("arrows").value), points: $("points").checked,
      normals: $("normals").checked, impulses: $("impulses").checked, links: $("links").checked, through: $("through").checked, walls: $("walls").checked };
  }

  /** The colours of a theme. */
  paint(dark) {
    for (const view of this.views) view.paint(dark);
    this.draw();
  }

  draw() {
    const stage = $("stage"), width = stage.clientWidth, height = stage.clientHeight;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    const [columns, rows] = this.sides(width, height);
    const w = width / columns, h = height / rows;
    const options = this.options(), time = this.times[this.step];
    this.views.forEach((view, i) => {
      const index = view.at(time), left = (i % columns) * w, top = Math.floor(i / columns) * h;
      view.show(index, options);
      // the words of a cell stand above its view, its observable below: nothing covers the scene
      const { small, above, below } = margins(h, this.traces.some(Boolean));
      const tall = Math.max(h - above - below, 1);
      this.parts[i] = [left, top + above, w, tall];
      this.aim(w / tall, view);
      // a line between the cells stays free
      const gap = columns * rows > 1 ? 1 : 0;
      this.renderer.setViewport(left, height - top - above - tall, w, tall);
      this.renderer.setScissor(left, height - top - above - tall, w - gap, tall - gap);
      this.renderer.render(view.scene, this.camera);
      this.caption(i, [left, top, w - gap, above], view, index, small);
      this.traces[i]?.show(time, [left, top + above + tall - gap, w - gap, below], small);
    });
    $("scrub").value = this.step;
    $("clock").textContent = `${time.toFixed(3)} s · frame ${this.step} of ${this.times.length - 1}`;
    $("scrub").setAttribute("aria-valuetext", $("clock").textContent);
    this.explain(options);
  }

  /** Columns and rows of the cells in which the scenes are largest, seen from where the camera stands at first. */
  sides(width, height) {
    const count = this.views.length, back = backward(AZIMUTH, ELEVATION), tangent = Math.tan(this.camera.fov * Math.PI / 360);
    let best = [1, count, 0];
    for (let columns = 1; columns <= count && (columns === 1 || width / columns >= LEAST_WIDTH); columns++) {
      const rows = Math.ceil(count / columns), { above, below } = margins(height / rows, this.traces.some(Boolean));
      const tall = Math.max(height / rows - above - below, 1), wide = width / columns;
      const large = tall / this.fit(back, tangent, tangent * wide / tall);
      if (large > 1.001 * best[2]) best = [columns, rows, large];
    }
    return best;
  }

  aim(aspect, { size, scene }) {
    const { camera, azimuth, elevation, target } = this, back = backward(azimuth, elevation);
    camera.aspect = aspect;
    const tall = Math.tan(camera.fov * Math.PI / 360), wide = tall * aspect;
    if (!this.distance) this.distance = this.fit(back, tall, wide);
    camera.position.set(...back.map((x, i) => size * (target[i] + this.distance * x)));
    camera.lookAt(...target.map((x) => size * x));
    camera.near = 0.01 * size * this.distance;
    camera.far = size * (this.distance + 12);
    scene.fog.near = size * (this.distance + 0.8);
    scene.fog.far = size * (this.distance + 5);
    camera.updateProjectionMatrix();
  }

  /** The distance from which all corners of the box are seen. */
  fit([x, y, z], tall, wide) {
    const flat = Math.hypot(x, z), right = [z / flat, 0, -x / flat];
    const up = [-y * x / flat, flat, -y * z / flat];
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const p = this.half.map((half, i) => (k >> i & 1 ? half : -half));
      const dot = (v) => v[0] * p[0] + v[1] * p[1] + v[2] * p[2];
      const near = dot([x, y, z]);
      distance = Math.max(distance, near + Math.abs(dot(right)) / wide, near + Math.abs(dot(up)) / tall);
    }
    return 1.12 * distance;
  }

  caption(i, [left, top, width, height], view, index, small) {
    const label = this.labels[i], { contacts } = view.replay.frames[index], { times } = view.replay.header;
    Object.assign(label.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    const { ending } = this.cells[i], last = index === times.length - 1, over = this.times[this.step] > times[index] + 1e-9;
    // one that was stopped says so at its last frame, even where all others have none after it
    const ended = last && ending ? `, ${ending}` : last && over ? ", ended" : "";
    label.classList.toggle("small", small);
    label.classList.toggle("stopped", Boolean(last && ending));
    label.lastChild.textContent = `${times[index].toFixed(3)} s${ended} · ${contacts.count} contact${contacts.count === 1 ? "" : "s"}${view.left(index)}`;
  }

  explain({ quantity, top }) {
    const key = `${quantity} ${top}`;
    if (this.explained === key) return;
    this.explained = key;
    const words = { speed: "speed [m/s]", impulse: "contact impulse of a substep [N·s]", depth: "penetration [m]",
      residual: "residual of the last solve [-]" };
    const stops = VIRIDIS.map((c, i) => `rgb(${c}) ${10 * i}%`).join(",");
    const ticks = quantity === "speed" ? [0, top / 2, top] : Array.from({ length: decades(quantity) + 1 },
      (_, k) => top * Math.pow(10, k - decades(quantity)));
    const some = setting(this.cells).length < this.cells.length, whose = some ? ", scale of the motions that came to their end" : "";
    const bar = make("i");
    bar.style.background = `linear-gradient(90deg,${stops})`;
    const row = make("div");
    row.append(...ticks.map((tick, k) => {
      // of many decades every second has room
      if (ticks.length > 4 && k % 2 === 1 && k < ticks.length - 1) return make("span");
      const end = (quantity === "speed" || some) && k === ticks.length - 1 ? "≥ " : "";
      const text = (quantity !== "speed" && k === 0 && top > 0 ? "≤ " : end) + number(tick);
      return make("span", { textContent: text });
    }));
    $("legend").replaceChildren(words[quantity] + whose, bar, row);
  }

  /** The step that an address asks for: `#frame=12`, or `#t=2.3` in seconds. */
  asked(wishes) {
    const time = wishes.has("t") ? +wishes.get("t") : NaN;
    if (!(time >= 0)) return Math.round(+wishes.get("frame")) || 0;
    return this.times.findLastIndex((own) => own <= time + 1e-6);
  }

  go(step) {
    this.step = Math.min(Math.max(step, 0), this.times.length - 1);
    this.clock = this.times[this.step];
    this.draw();
  }

  play(on) {
    this.playing = on && this.times.length > 1;
    $("play").textContent = this.playing ? "Pause" : "Play";
    if (!this.playing) return;
    if (this.step === this.times.length - 1) this.go(0);
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.clock += Math.min((now - last) / 1000, 0.25) * +$("rate").value;
      last = now;
      let step = this.step;
      while (step + 1 < this.times.length && this.times[step + 1] <= this.clock) step++;
      if (step !== this.step) { this.step = step; this.draw(); }
      if (step === this.times.length - 1) this.play(false); else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  listen() {
    $("walls").parentElement.hidden = !this.views.some(({ walls }) => walls.includes(true));
    $("scrub").max = this.times.length - 1;
    $("scrub").oninput = () => { this.play(false); this.go(+$("scrub").value); };
    $("play").onclick = () => this.play(!this.playing);
    $("back").onclick = () => { this.play(false); this.go(this.step - 1); };
    $("on").onclick = () => { this.play(false); this.go(this.step + 1); };
    $("reset").onclick = () => this.look();
    for (const id of ["colour", "points", "normals", "impulses", "arrows", "links", "through", "walls"]) $(id).oninput = () => this.draw();
    for (const button of document.querySelectorAll("[data-camera]")) button.onclick = () => this.move(button.dataset.camera);
    new ResizeObserver(() => {
      // who has moved nothing sees all of the scene in a window of any size
      if (!this.moved) this.distance = 0;
      this.draw();
    }).observe($("stage"));
    window.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("beforeprint", () => this.still());
    this.drag();
  }

  /** One step of the camera. */
  move(way) {
    const turn = 0.12, far = 24;
    const ways = { left: () => { this.azimuth -= turn; }, right: () => { this.azimuth += turn; }, up: () => this.lift(turn), down: () => this.lift(-turn),
      near: () => { this.distance /= 1.15; }, far: () => { this.distance *= 1.15; },
      pan_left: () => this.pan(far, 0), pan_right: () => this.pan(-far, 0), pan_up: () => this.pan(0, far), pan_down: () => this.pan(0, -far) };
    ways[way]();
    this.moved = true;
    this.draw();
  }

  lift(angle) {
    this.elevation = Math.min(Math.max(this.elevation + angle, -1.55), 1.55);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key, shiftKey } = event, rate = $("rate");
    const shift = (by) => { rate.selectedIndex = Math.min(Math.max(rate.selectedIndex + by, 0), rate.options.length - 1); };
    const everywhere = { ",": () => $("back").onclick(), ".": () => $("on").onclick(), "<": () => shift(-1), ">": () => shift(1), r: () => this.look() };
    // what has the focus keeps its own keys
    const elsewhere = target === document.body || target.id === "stage" || target.id === "controls" || target.id === "scrub";
    const free = { " ": () => this.play(!this.playing), Home: () => this.go(0), End: () => this.go(this.times.length - 1) };
    const frames = { ArrowLeft: everywhere[","], ArrowRight: everywhere["."] };
    const way = shiftKey ? "pan_" : "";
    const camera = { ArrowLeft: () => this.move(`${way}left`), ArrowRight: () => this.move(`${way}right`), ArrowUp: () => this.move(`${way}up`),
      ArrowDown: () => this.move(`${way}down`), "+": () => this.move("near"), "=": () => this.move("near"), "-": () => this.move("far"), 0: () => this.look() };
    const own = target.id === "stage" ? camera : elsewhere ? frames : {};
    const action = own[key] ?? (elsewhere && free[key]) ?? null;
    const always = target instanceof HTMLSelectElement ? null : everywhere[key];
    if (!action && !always) return;
    event.preventDefault();
    (action || always)();
  }

  /** Pictures of the cells for a printer, which has no use for a canvas: in light colours, one with its words below. */
  still() {
    this.play(false);
    const canvas = this.renderer.domElement, ratio = canvas.width / Math.max(canvas.clientWidth, 1);
    this.paint(false);
    const figures = this.views.map((_, i) => {
      const [x, y, w, h] = this.parts[i].map((length) => ratio * length);
      const part = Object.assign(document.createElement("canvas"), { width: w, height: h });
      part.getContext("2d").drawImage(canvas, x, y, w, h, 0, 0, w, h);
      const words = [...this.labels[i].children].filter(({ tagName }) => tagName !== "BR").map(({ textContent }) => textContent).join(", ");
      return make("figure", {}, make("img", { src: part.toDataURL("image/png"), alt: words }), make("figcaption", { textContent: words }));
    });
    $("print").replaceChildren(...figures);
    this.paint(isDark());
  }

  /** Turning, moving and zooming with mouse, pen and fingers. */
  drag() {
    const stage = $("stage"), fingers = new Map();
    stage.addEventListener("contextmenu", (event) => event.preventDefault());
    stage.addEventListener("pointerdown", (event) => { stage.setPointerCapture(event.pointerId); fingers.set(event.pointerId, [event.clientX, event.clientY]); });
    for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, (event) => fingers.delete(event.pointerId));
    const spread = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
    stage.addEventListener("pointermove", (event) => {
      const last = fingers.get(event.pointerId);
      if (!last) return;
      const dx = event.clientX - last[0], dy = event.clientY - last[1], wide = fingers.size > 1 ? spread() : 0;
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      if (wide) this.distance *= wide / Math.max(spread(), 1);
      if (event.shiftKey || event.buttons === 2 || wide) this.pan(dx / (wide ? 2 : 1), dy / (wide ? 2 : 1));
      else {
        this.azimuth -= 0.008 * dx;
        this.lift(0.008 * dy);
      }
      this.moved = true;
      this.draw();
    });
    stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance *= Math.exp(0.0012 * event.deltaY);
      this.moved = true;
      this.draw();
    }, { passive: false });
  }

  pan(dx, dy) {
    const per = 2 * this.distance * Math.tan(this.camera.fov * Math.PI / 360) / $("stage").clientHeight;
    const e = this.camera.matrixWorld.elements;
    this.target = this.target.map((x, i) => x - per * dx * e[i] + per * dy * e[4 + i]);
  }
}

/** What the frames hold, in numbers. */
function numbers(cells) {
  const table = ({ scene, method, ending, replay: { header, frames } }) => {
    const row = (kind, parts) => make("tr", {}, ...parts.map((part) => make(kind, { textContent: part })));
    const rows = [row("th", ["time [s]", "largest speed [m/s]", "contacts", "strongest impulse [N·s]", "deepest overlap [m]"])];
    const every = Math.max(1, Math.floor(frames.length / 30));
    frames.forEach((frame, i) => {
      if (i % every && i !== frames.length - 1) return;
      const { count, bytes } = frame.contacts;
      let impulse = 0, depth = 0;
      for (let k = 0; k < count; k++) { impulse = Math.max(impulse, bytes[6 * k + 2]); depth = Math.max(depth, bytes[6 * k + 5]); }
      const speed = frame.speeds.reduce((most, code) => Math.max(most, code), 0);
      rows.push(row("td", [header.times[i].toFixed(3), number(magnitude(header.speed, speed)), count,
        number(magnitude(header.impulse, impulse)), number(magnitude(header.depth, depth))]));
    });
    const scroll = make("div", { className: "scroll", tabIndex: 0 }, make("table", {}, ...rows));
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", `Frames of ${scene}, ${method}`);
    return [make("h2", { textContent: `${scene}, ${method}${ending ? `: ${ending}` : ""}` }), scroll];
  };
  return cells.flatMap(table);
}

/** What is left to show where nothing can be drawn. */
function tell(cells, reason) {
  for (const element of [$("stage"), $("view"), $("legend"), ...document.querySelectorAll(".transport, .keyboard")]) element.hidden = true;
  $("text").before(make("p", { textContent: `The bodies cannot be drawn here (${reason}).` }));
  $("numbers").open = true;
  $("text").replaceChildren(...numbers(cells));
  root.dataset.replay = "text";
}

/** True in the dark, as the system has it or the reader has chosen. */
const night = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ?? (night.matches ? "dark" : "light")) === "dark";

/** The button for light and dark. */
function theme(changed) {
  const button = make("button", { type: "button", className: "theme" });
  const say = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `${button.textContent} colours`); changed(); };
  button.onclick = () => { root.dataset.theme = isDark() ? "light" : "dark"; say(); };
  night.addEventListener("change", say);
  document.querySelector("header").append(button);
  say();
}

/** How many colours the first picture has: one for nothing at all. */
function colours(renderer) {
  const gl = renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, seen = new Set();
  const pixels = new Uint8Array(4 * w * h);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  for (let i = 0; i < pixels.length; i += 4 * 7) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
  return seen.size;
}

/** The cells that can be read; the others are named. */
async function recorded() {
  const cells = [];
  for (const element of document.querySelectorAll("script.cell")) {
    const { scene, method, ending } = element.dataset;
    try {
      const series = element.dataset.series ? JSON.parse(element.dataset.series) : null;
      cells.push({ scene, method, ending, series, replay: await readReplay(element.textContent) });
    } catch (error) {
      $("controls").append(make("p", { className: "notes", textContent: `${scene}, ${method}: its replay cannot be read (${error.message}).` }));
    }
  }
  return cells;
}

async function start() {
  const cells = await recorded();
  root.dataset.cells = cells.length;
  root.dataset.frames = cells.map(({ replay }) => replay.frames.length).join(" ");
  root.dataset.contacts = cells.map(({ replay }) => replay.frames.reduce((sum, frame) => sum + frame.contacts.count, 0)).join(" ");
  let player = null;
  const changed = () => player?.paint(isDark());
  theme(changed);
  if (!cells.length) { tell(cells, "no cell can be read"); return; }
  $("numbers").ontoggle = () => { if ($("numbers").open && !$("text").firstChild) $("text").append(...numbers(cells)); };
  // on a phone the view is what there is room for
  $("view").open = matchMedia("(min-width: 40rem)").matches;
  try {
    player = new Player(THREE, cells);
  } catch (error) {
    tell(cells, error.message);
    return;
  }
  changed();
  const seek = () => player.go(player.asked(new URLSearchParams(location.hash.slice(1))));
  seek();
  window.addEventListener("hashchange", () => { player.play(false); seek(); });
  root.dataset.walls = player.views.map(({ walls }) => walls.filter(Boolean).length).join(" ");
  root.dataset.colours = colours(player.renderer);
  root.dataset.replay = "drawn";
  window.replay = player;
}

start().catch((error) => { root.dataset.replay = "failed"; $("numbers").open = true; $("text").textContent = error.message; });
