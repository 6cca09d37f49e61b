"use strict";
// Tables that a reader sorts and filters; long ones show their first rows until all are asked for.

/** Rows of a table that are shown at first, and from how many rows on a table is long, or can be filtered. */
const FIRST_ROWS = 20, LONG = 26, FILTERED = 7;

/** What a cell is sorted by: a number where its column has numbers. */
function sortKey(cell, numeric) {
  const text = (cell?.textContent ?? "").trim();
  if (!numeric) return text;
  const plain = text.replaceAll("−", "-").replaceAll("\u202f", "").replace("∞", "Infinity");
  const value = plain === "" ? NaN : Number(plain);
  return value;
}

function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
  return a - b;
}

class SortedTable {
  constructor(table) {
    this.table = table;
    this.scroll = table.closest(".scroll");
    this.groups = [...table.tBodies].map((body) => {
      const head = body.rows[0]?.querySelector("th.section") ? body.rows[0] : null;
      return { body, head, rows: [...body.rows].filter((row) => row !== head) };
    });
    this.count = this.groups.reduce((sum, { rows }) => sum + rows.length, 0);
    this.order = null;
    this.words = "";
    this.all = this.count <= LONG || table.matches(".index");
    if (this.count > 1) this.heads();
    this.tools();
    this.show();
  }

  heads() {
    [...this.table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...cell.childNodes);
      cell.append(button);
      cell.setAttribute("aria-sort", "none");
      button.onclick = () => this.sort(column);
    });
  }

  tools() {
    const tools = document.createElement("div");
    tools.className = "tools";
    if (this.count >= FILTERED) {
      const input = Object.assign(document.createElement("input"), { type: "search", placeholder: "Filter rows", className: "filter" });
      input.setAttribute("aria-label", `Filter rows of ${this.scroll.getAttribute("aria-label").toLowerCase()}`);
      input.oninput = () => { this.words = input.value; this.show(); };
      this.said = Object.assign(document.createElement("span"), { className: "note" });
      this.said.setAttribute("role", "status");
      tools.append(input, this.said);
      this.scroll.closest(".edges").before(tools);
    }
    if (this.all) return;
    this.more = Object.assign(document.createElement("button"), { type: "button", className: "more" });
    this.more.onclick = () => { this.all = !this.all; this.show(); };
    this.scroll.closest(".edges").after(this.more);
    this.scroll.classList.add("long");
  }

  /** First up, then down, then as it was. */
  sort(column) {
    const heads = [...this.table.tHead.rows[0].cells], state = heads[column].getAttribute("aria-sort");
    const next = { none: "ascending", ascending: "descending", descending: "none" }[state];
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === column ? next : "none"));
    this.order = next === "none" ? null : { column, numeric: heads[column].classList.contains("n"), sign: next === "ascending" ? 1 : -1 };
    this.show();
  }

  sorted(rows) {
    if (!this.order) return rows;
    const { column, numeric, sign } = this.order;
    const keyed = rows.map((row) => [sortKey(row.cells[column], numeric), row]);
    // what has no number stands behind, up and down
    const lacks = (key) => key === "" || Number.isNaN(key);
    keyed.sort(([a], [b]) => lacks(a) - lacks(b) || (lacks(a) ? 0 : sign * compare(a, b)));
    return keyed.map(([, row]) => row);
  }

  show() {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    let left = this.all ? Infinity : FIRST_ROWS, fitting = 0;
    for (const { body, head, rows } of this.groups) {
      let shown = 0;
      for (const row of this.sorted(rows)) {
        const text = `${head?.textContent ?? ""} ${row.textContent}`.toLowerCase(), fits = words.every((word) => text.includes(word));
        row.classList.toggle("other", !fits);
        row.classList.toggle("later", fits && left <= 0);
        if (fits) { fitting++; if (left-- > 0) shown++; }
        body.append(row);
      }
      head?.classList.toggle("other", shown === 0);
    }
    if (this.said) this.said.textContent = words.length ? `${fitting} of ${this.count} rows` : `${this.count} rows`;
    if (!this.more) return;
    this.more.hidden = fitting <= FIRST_ROWS;
    this.more.textContent = this.all ? `Show the first ${FIRST_ROWS} rows` : `Show all ${fitting} rows`;
    this.more.setAttribute("aria-expanded", String(this.all));
  }

  /** All rows, so that a link can lead to any of them. */
  open() {
    this.all = true;
    this.words = "";
    const input = this.scroll.closest(".edges").previousElementSibling?.querySelector?.("input.filter");
    if (input) input.value = "";
    this.show();
  }
}

const sortedTables = new Map();
addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".edges table")) {
    if (table.tHead?.rows.length && table.tBodies.length && !table.closest(".readme")) sortedTables.set(table, new SortedTable(table));
  }
});
