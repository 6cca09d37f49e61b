"use strict";
// Ticks and labels of the axes of a zoomed figure, in the ways of the still ones. Logarithmic axes count in decades.

/** A whole number as a superscript. */
function raised(number) {
  return [...String(number)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
}

/** A number with at most `digits` significant digits. */
function written(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return String(+value.toPrecision(digits)).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const short = String(+mantissa).replace("-", "−");
  return (short === "1" ? "" : `${short}·`) + `10${raised(+exponent)}`;
}

/** The value at a place of an axis. */
const valueAt = (axis, place) => (axis.log ? Math.pow(10, place) : place);
/** The place of a value; NaN where the axis has none. */
const placeOf = (axis, value) => (axis.log ? Math.log10(value) : value);

/** The smallest round step that is at least `least`. */
function roundStep(least) {
  const unit = Math.pow(10, Math.floor(Math.log10(least)));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((step) => step >= least * (1 - 1e-9));
}

function linearTicks(low, high, least) {
  const step = roundStep(least), ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && ticks.length < 60; i++) ticks.push(i * step);
  return ticks.map((place) => ({ place, label: written(Math.abs(place) < 1e-9 * step ? 0 : place, 6) }));
}

/** Whole decades, every one or as many as fit, with minor ticks where there is room. */
function decadeTicks(low, high, least) {
  const step = [1, 2, 3, 4, 5, 10, 20, 25, 50, 100, 200].find((decades) => decades >= least) ?? 500, ticks = [];
  for (let decade = Math.ceil(low / step) * step; decade <= high + 1e-9; decade += step) ticks.push({ place: decade, label: `10${raised(decade)}` });
  if (least > 0.8) return ticks;
  for (let decade = Math.floor(low); decade <= high; decade++) {
    for (let m = 2; m < 10; m++) ticks.push({ place: decade + Math.log10(m), label: "" });
  }
  return ticks;
}

/** Round values within few decades. */
function mantissaTicks(low, high, least) {
  const ticks = [];
  for (const mantissa of [1, 5, 2, 3, 1.5, 8, 4, 6]) {
    for (let decade = Math.floor(low); decade <= high; decade++) {
      const place = decade + Math.log10(mantissa);
      if (ticks.every((tick) => Math.abs(tick.place - place) >= least)) ticks.push({ place, label: written(mantissa * Math.pow(10, decade)) });
    }
  }
  const shown = ticks.filter(({ place }) => place >= low - 1e-9 && place <= high + 1e-9);
  if (shown.length > 1) return shown;
  // deeper than round values reach
  const [from, to] = [Math.pow(10, low), Math.pow(10, high)];
  const inner = linearTicks(from, to, (to - from) * Math.min(0.5, least / (high - low)));
  return inner.map(({ place }) => ({ place: Math.log10(place), label: written(place, 6) }));
}

/** Ticks between two places of an axis; labels stand at least `least` apart, in units of the axis. */
function ticksOf(axis, low, high, least) {
  let ticks;
  if (axis.marks.length) {
    let taken = -Infinity;
    ticks = axis.marks.map(([at, value]) => {
      const place = placeOf(axis, at), free = place - taken >= least;
      if (free) taken = place;
      return { place, label: free ? written(value, 3) : "" };
    });
  } else if (!axis.log) ticks = linearTicks(low, high, least);
  else if (high - low < 1.7) ticks = mantissaTicks(low, high, least);
  else ticks = decadeTicks(low, high, least);
  return ticks.filter(({ place }) => place >= low - 1e-9 && place <= high + 1e-9).sort((a, b) => a.place - b.place);
}
