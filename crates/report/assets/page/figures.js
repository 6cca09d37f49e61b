// Figures whose curves can be zoomed and toggled: a button turns the still picture into panels with a legend of buttons.

/** An element with properties and children. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function svg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** The sample of a look, as it stands in the legend of the still picture. */
function sample({ color, dash, marker }, line) {
  const picture = svg("svg", { width: 36, height: 12, viewBox: "0 0 36 12", "aria-hidden": "true" });
  if (line) picture.append(svg("line", { x1: 0, y1: 6, x2: 36, y2: 6, stroke: color, "stroke-width": 1.7, "stroke-dasharray": dash.map((d) => d * POINT).join(" ") }));
  picture.append(svg("polygon", { points: marker.map(([x, y]) => `${18 + x * 0.085},${6 + y * 0.085}`).join(" "), fill: color }));
  return picture;
}

class FigurePlot {
  constructor(element) {
    this.element = element;
    this.still = element.querySelector(".edges");
    this.button = make("button", { type: "button", className: "explore", textContent: "Zoom and toggle" });
    this.button.setAttribute("aria-expanded", "false");
    this.button.onclick = () => this.turn();
    this.tools = make("div", { className: "tools" }, this.button);
    this.still.before(this.tools);
    this.hidden = new Set();
  }

  turn() {
    this.live ??= this.build();
    const on = this.live.hidden;
    this.live.hidden = !on;
    this.zooms.hidden = !on;
    this.still.classList.toggle("away", on);
    this.button.textContent = on ? "Still picture" : "Zoom and toggle";
    this.button.setAttribute("aria-expanded", String(on));
    if (!on) return;
    // panels know their width only now
    if (this.plots) this.plots.forEach((plot) => plot.fit());
    else this.fill();
  }

  build() {
    this.data = JSON.parse(this.element.querySelector("script.numbers-of").textContent);
    const act = (textContent, label, action) => {
      const button = make("button", { type: "button", textContent, onclick: () => this.plots.forEach(action) });
      button.setAttribute("aria-label", label);
      return button;
    };
    this.zooms = make("span", { className: "zooms", hidden: true }, act("+", "Zoom in", (plot) => plot.zoom(1.5)),
      act("−", "Zoom out", (plot) => plot.zoom(1 / 1.5)), act("All", "Show all of every panel", (plot) => plot.reset()));
    this.tools.append(this.zooms);
    const live = make("div", { className: "live", hidden: true }, this.legend());
    live.append(make("p", { className: "note", textContent: "Drag to zoom, double-click for all. A press on a name hides its curves, with shift it leaves them alone. Keys: + − arrows 0." }));
    this.still.after(live);
    return live;
  }

  fill() {
    const name = this.element.querySelector("figcaption b").textContent.replace(".", "");
    const grid = this.live.appendChild(make("div", { className: this.data.panels.length > 1 ? "panels many" : "panels" }));
    this.plots = [];
    for (const panel of this.data.panels) {
      const cell = grid.appendChild(make("div", { className: "panel" }));
      if (panel.title) cell.append(make("p", { className: "title", textContent: panel.title }));
      if (!panel.curves) { cell.append(make("p", { className: "note", textContent: panel.empty })); continue; }
      const host = cell.appendChild(make("div", { className: "host" }));
      this.plots.push(new PanelPlot(host, this.data, panel, panel.title ? `${name}, ${panel.title}` : name, (look) => !this.hidden.has(look)));
    }
    this.element.figurePlot = this;
  }

  legend() {
    const list = make("div", { className: "legend" });
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", "Curves");
    this.entries = this.data.legend.map(({ text, look, line }) => {
      const button = make("button", { type: "button" }, sample(this.data.looks[look], line), make("span", { textContent: text }));
      button.onclick = (event) => this.toggle(look, event.shiftKey);
      list.append(button);
      return { button, look };
    });
    this.press();
    return list;
  }

  toggle(look, alone) {
    const looks = new Set(this.entries.map((entry) => entry.look));
    const only = [...looks].every((other) => this.hidden.has(other) === (other !== look));
    if (alone) this.hidden = new Set(only ? [] : [...looks].filter((other) => other !== look));
    else if (!this.hidden.delete(look)) this.hidden.add(look);
    for (const plot of this.plots) for (const other of looks) plot.show(other);
    this.press();
  }

  press() {
    for (const { button, look } of this.entries) button.setAttribute("aria-pressed", String(!this.hidden.has(look)));
  }
}

addEventListener("DOMContentLoaded", () => {
  for (const data of document.querySelectorAll("script.numbers-of")) new FigurePlot(data.closest("figure"));
});
