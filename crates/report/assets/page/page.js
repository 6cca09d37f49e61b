// The rest of the page: light and dark, edges of what scrolls, places that links lead to.

function theme() {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "theme" });
  const is = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  const say = () => { button.textContent = is() === "dark" ? "Light" : "Dark"; button.setAttribute("aria-label", `${button.textContent} colours`); };
  button.onclick = () => { root.dataset.theme = is() === "dark" ? "light" : "dark"; say(); };
  dark.addEventListener("change", say);
  document.querySelector("header").append(button);
  say();
}

/** Shadows at the edges behind which something is left, words for it, and names of rows that stay. */
function edges() {
  const hints = new Map();
  const look = (scroll) => {
    const { scrollLeft, scrollWidth, clientWidth } = scroll, frame = scroll.parentElement;
    const left = scrollLeft > 2, right = scrollLeft + clientWidth < scrollWidth - 2;
    frame.classList.toggle("left", left);
    frame.classList.toggle("right", right);
    const hint = hints.get(scroll);
    hint.hidden = !(left || right);
    hint.textContent = right ? "Scrolls sideways →" : "← Scrolls sideways";
    const name = scroll.querySelector("tbody td:first-child")?.offsetWidth ?? Infinity;
    frame.classList.toggle("keep", (left || right) && name < 0.45 * clientWidth);
  };
  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => look(target)));
  for (const scroll of document.querySelectorAll(".edges > *")) {
    const hint = Object.assign(document.createElement("p"), { className: "hint", hidden: true });
    hint.setAttribute("aria-hidden", "true");
    scroll.parentElement.after(hint);
    hints.set(scroll, hint);
    scroll.addEventListener("scroll", () => look(scroll), { passive: true });
    observer.observe(scroll);
  }
}

/** Opens what hides the place that the address names, and goes there. */
function arrive() {
  let place = null;
  try {
    place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch { /* an address that names nothing */ }
  if (!place) return;
  for (let details = place.closest("details"); details; details = details.parentElement?.closest("details")) details.open = true;
  const table = place.closest("table");
  if (table && place !== table && sortedTables.has(table) && place.closest("tr")?.matches(".later, .other")) sortedTables.get(table).open();
  place.scrollIntoView({ block: place.matches("td") ? "center" : "start", inline: "nearest" });
}

/** Marks where the reader is in the list of contents. */
function follow() {
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const places = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let at = null;
  const look = () => {
    const here = places.filter((place) => place.getBoundingClientRect().top < 140).at(-1) ?? places[0];
    if (!here || here === at) return;
    if (at) links.get(at.id).removeAttribute("aria-current");
    links.get(here.id).setAttribute("aria-current", "true");
    at = here;
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; look(); });
  }, { passive: true });
  look();
}

addEventListener("DOMContentLoaded", () => {
  document.documentElement.classList.add("script");
  theme();
  edges();
  follow();
  arrive();
  addEventListener("hashchange", arrive);
});
