// One panel of a figure that is zoomed: uPlot has the axes, the pointer and the scales; curves are drawn as in the still picture.

const GREY = "#606060", INK = "#1a1a1a", GRID = "#e4e4e4";
/** Sides of a plot, as uPlot numbers them. */
const BELOW = 2, BESIDE = 3;
/** Pixels of a point: figures are read a little larger on a screen than on paper. */
const POINT = 1.45;
const FONT = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif';

class PanelPlot {
  /** `shows` says whether the curves of a look are to be seen. */
  constructor(host, figure, panel, name, shows) {
    Object.assign(this, { host, figure, panel, shows });
    this.home = { x: panel.x.map((v) => placeOf(figure.x, v)), y: panel.y.map((v) => placeOf(figure.y, v)) };
    this.view = { x: [...this.home.x], y: [...this.home.y] };
    this.floor = panel.floor === null ? null : placeOf(figure.y, panel.floor);
    this.curves = panel.curves.map((curve) => this.placed(curve));
    this.readout = Object.assign(document.createElement("div"), { className: "readout", hidden: true });
    const { width, height } = this.size();
    this.plot = new uPlot(this.options(width, height), [null, ...this.curves.map(({ xs, ys }) => [xs, ys])], host);
    this.plot.over.append(this.readout);
    host.tabIndex = 0;
    host.setAttribute("role", "application");
    host.setAttribute("aria-label", `${name}: plus and minus zoom, arrows move, 0 shows all again`);
    host.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.fit()).observe(host);
  }

  size() {
    const width = Math.max(this.host.clientWidth, 200);
    return { width, height: Math.round(Math.min(Math.max(width * (this.figure.panels.length > 1 ? 0.72 : 0.5), 220), 460)) };
  }

  fit() {
    const { width, height } = this.size();
    if (width !== this.plot.width) this.plot.setSize({ width, height });
  }

  /** A curve in places of the axes; values that an axis has no place for stand at its lower end, or nowhere. */
  placed(curve) {
    const { x, y } = this.figure, lifts = curve.data && this.floor !== null;
    const xs = curve.x.map((v) => placeOf(x, v)), below = curve.y.map((v) => lifts && !(v >= this.panel.floor));
    const ys = curve.y.map((v, i) => (below[i] ? this.floor : placeOf(y, v)));
    return { ...curve, xs, ys, below, look: this.figure.looks[curve.look], index: curve.look };
  }

  options(width, height) {
    const range = (key) => () => this.view[key];
    return {
      mode: 2, width, height, legend: { show: false }, padding: [10, 14, 0, 0],
      scales: { x: { time: false, auto: false, range: range("x") }, y: { auto: false, range: range("y") } },
      axes: [this.axis("x", BELOW), this.axis("y", BESIDE)],
      series: [null, ...this.curves.map(({ name }) => ({ label: name, paths: () => null, points: { show: false },
        facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }] }))],
      cursor: { drag: { x: true, y: true, uni: 24, dist: 5 }, points: { show: false }, dataIdx: () => null,
        bind: { dblclick: () => () => { this.reset(); return null; } } },
      hooks: { setScale: [(u, key) => { this.view[key] = [u.scales[key].min, u.scales[key].max]; }], draw: [(u) => this.draw(u)],
        setCursor: [(u) => this.point(u)] },
    };
  }

  axis(key, side) {
    const axis = this.figure[key], horizontal = key === "x", room = horizontal ? 64 : 26;
    const ticks = (u, low, high) => {
      const length = (horizontal ? u.bbox.width : u.bbox.height) / devicePixelRatio || 300;
      return ticksOf(axis, low, high, (room / length) * (high - low));
    };
    const labels = new Map();
    const major = (u, splits) => splits.map((place) => (labels.get(place) ? place : null));
    return {
      scale: key, side, label: axis.label, font: `12px ${FONT}`, labelFont: `13px ${FONT}`, stroke: INK, labelSize: 22, labelGap: 2,
      size: horizontal ? 34 : (u, values) => this.room(u, values), gap: 4,
      splits: (u, _, low, high) => {
        labels.clear();
        for (const { place, label } of ticks(u, low, high)) labels.set(place, label);
        return [...labels.keys()];
      },
      values: (u, splits) => splits.map((place) => labels.get(place) ?? ""),
      grid: { stroke: GRID, width: 1, filter: major },
      ticks: { stroke: INK, width: 1, size: 5 },
      border: { show: true, stroke: INK, width: 1 },
    };
  }

  /** Width that the labels of the vertical axis need. */
  room(u, values) {
    u.ctx.font = `${12 * devicePixelRatio}px ${FONT}`;
    const widths = (values ?? []).map((text) => u.ctx.measureText(text).width / devicePixelRatio);
    return Math.ceil(Math.max(24, ...widths)) + 14;
  }

  draw(u) {
    const { ctx, bbox } = u, scale = POINT * devicePixelRatio;
    const at = (place, key) => u.valToPos(place, key, true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const level = (place, dash, width) => {
      const y = at(place, "y");
      stroke(ctx, [[[bbox.left, y], [bbox.left + bbox.width, y]]], GREY, width * scale, dash.map((d) => d * scale));
    };
    if (this.floor !== null) level(this.floor, [0.1, 2.2], 0.9);
    for (const guide of this.panel.guides) level(placeOf(this.figure.y, guide), [3, 2], 0.7);
    for (const wall of this.panel.walls) level(placeOf(this.figure.y, wall), [8, 2], 1.4);
    const seen = this.curves.filter((curve, i) => u.series[i + 1].show);
    for (const curve of seen) {
      curve.pieces = pieces(curve, at);
      if (curve.form === "marks") continue;
      const { color, pale, dash } = curve.look;
      if (curve.form === "exact") stroke(ctx, curve.pieces, pale, 3.4 * scale, []);
      else if (curve.form === "stroke") stroke(ctx, curve.pieces, color, 0.8 * scale, []);
      else stroke(ctx, curve.pieces, color, 1.2 * scale, dash.map((d) => d * scale));
    }
    ctx.restore();
    ctx.save();
    const margin = 3 * scale;
    ctx.beginPath();
    ctx.rect(bbox.left - margin, bbox.top - margin, bbox.width + 2 * margin, bbox.height + 2 * margin);
    ctx.clip();
    seen.forEach((curve, i) => this.marks(ctx, curve, i, at, bbox, scale));
    ctx.restore();
  }

  /** Markers of a curve: at its points, or here and there along its line, and at its end. */
  marks(ctx, curve, position, at, bbox, scale) {
    const { look, form, xs, ys, below } = curve, { color, marker } = look;
    const spot = (i) => [at(xs[i], "x"), at(ys[i], "y")];
    const mark = ([x, y], outline, size, hollow) => polygon(ctx, outline, x, y, size * scale, color, hollow, 1.0 * scale);
    if (form === "marks" || form === "joined") xs.forEach((_, i) => { if (!below[i]) mark(spot(i), marker, 5.8, false); });
    else if (form !== "exact" && form !== "stroke") {
      for (const place of along(curve.pieces, bbox, 19 * scale * 1.6, 0.3 + 0.17 * (position % 5))) mark(place, marker, 5.8, false);
    }
    if (!xs.length || !curve.data) return;
    const low = below.flatMap((is, i) => (is ? [i] : []));
    const shown = form === "marks" || form === "joined" ? low : [...new Set([low[0], low.at(-1)])].filter((i) => i !== undefined);
    for (const i of shown) mark(spot(i), this.figure.arrow, 8.4, true);
    const last = xs.length - 1;
    if (!below[last] && curve.end !== "none") mark(spot(last), marker, curve.end === "hollow" ? 7.6 : 5.8, curve.end === "hollow");
  }

  /** Says which point is next to the pointer. */
  point(u) {
    const { left, top } = u.cursor;
    let best = null, nearest = 28;
    if (left >= 0) {
      this.curves.forEach((curve, k) => {
        if (!u.series[k + 1].show) return;
        curve.xs.forEach((x, i) => {
          const distance = Math.hypot(u.valToPos(x, "x") - left, u.valToPos(curve.ys[i], "y") - top);
          if (distance < nearest) { nearest = distance; best = [curve, i]; }
        });
      });
    }
    this.readout.hidden = !best;
    if (!best) return;
    const [curve, i] = best, x = u.valToPos(curve.xs[i], "x"), y = u.valToPos(curve.ys[i], "y");
    this.readout.textContent = `${curve.name}: ${written(curve.x[i])}, ${written(curve.y[i])}`;
    const width = this.readout.offsetWidth, wide = u.over.clientWidth;
    this.readout.style.left = `${Math.max(0, Math.min(x + 10, wide - width))}px`;
    this.readout.style.top = `${y > 34 ? y - 30 : y + 12}px`;
  }

  show(look) {
    this.curves.forEach((curve, i) => { if (curve.index === look) this.plot.setSeries(i + 1, { show: this.shows(look) }); });
  }

  go(x, y) {
    // closer than this nothing is left of the numbers' digits
    const close = ([low, high], [a, b]) => high - low < 1e-5 * (b - a);
    if (close(x, this.home.x) || close(y, this.home.y)) return;
    this.plot.batch(() => {
      this.plot.setScale("x", { min: x[0], max: x[1] });
      this.plot.setScale("y", { min: y[0], max: y[1] });
    });
  }

  reset() {
    this.go(this.home.x, this.home.y);
  }

  zoom(factor) {
    const around = ([low, high]) => { const half = (0.5 * (high - low)) / factor, middle = 0.5 * (low + high); return [middle - half, middle + half]; };
    this.go(around(this.view.x), around(this.view.y));
  }

  key(event) {
    const shift = (part, key) => { const [low, high] = this.view[key], by = part * (high - low); return [low + by, high + by]; };
    const actions = { "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), 0: () => this.reset(), Home: () => this.reset(),
      ArrowLeft: () => this.go(shift(-0.15, "x"), this.view.y), ArrowRight: () => this.go(shift(0.15, "x"), this.view.y),
      ArrowUp: () => this.go(this.view.x, shift(0.15, "y")), ArrowDown: () => this.go(this.view.x, shift(-0.15, "y")) };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}

/** The pieces of a line in pixels, broken where the axes have no place for a value. */
function pieces(curve, at) {
  const all = [[]];
  curve.xs.forEach((x, i) => {
    const y = curve.ys[i];
    if (!Number.isFinite(x) || !Number.isFinite(y)) { all.push([]); return; }
    const place = [at(x, "x"), at(y, "y")], piece = all.at(-1);
    if (curve.form === "steps" && piece.length) piece.push([place[0], piece.at(-1)[1]]);
    piece.push(place);
  });
  return all.filter((piece) => piece.length);
}

function stroke(ctx, lines, color, width, dash) {
  Object.assign(ctx, { strokeStyle: color, lineWidth: width, lineJoin: "round", lineCap: "butt" });
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (const line of lines) line.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
  ctx.stroke();
  ctx.setLineDash([]);
}

/** A marker; its outline is in hundredths of its size. */
function polygon(ctx, outline, x, y, size, color, hollow, width) {
  ctx.beginPath();
  outline.forEach(([dx, dy], i) => (i ? ctx.lineTo(x + (dx * size) / 100, y + (dy * size) / 100) : ctx.moveTo(x + (dx * size) / 100, y + (dy * size) / 100)));
  ctx.closePath();
  ctx.fillStyle = hollow ? "#ffffff" : color;
  ctx.fill();
  if (!hollow) return;
  Object.assign(ctx, { strokeStyle: color, lineWidth: width });
  ctx.stroke();
}

/** Places along the part of a line that is to be seen, `spacing` apart and at most twelve; the first after `phase` of it. */
function along(lines, bbox, spacing, phase) {
  const inside = ([x, y]) => x >= bbox.left && x <= bbox.left + bbox.width && y >= bbox.top && y <= bbox.top + bbox.height;
  const legs = lines.flatMap((line) => line.slice(1).map((end, i) => [line[i], end])).filter(([a, b]) => inside(a) && inside(b));
  const long = ([a, b]) => Math.hypot(b[0] - a[0], b[1] - a[1]);
  const total = legs.reduce((sum, leg) => sum + long(leg), 0), step = Math.max(spacing, total / 12), places = [];
  let next = phase * Math.min(step, total), gone = 0;
  for (const leg of legs) {
    const length = long(leg), [[ax, ay], [bx, by]] = leg;
    for (; length > 0 && next <= gone + length; next += step) {
      const t = (next - gone) / length;
      places.push([ax + t * (bx - ax), ay + t * (by - ay)]);
    }
    gone += length;
  }
  return places;
}
