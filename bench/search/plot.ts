// Owns the SVG plot of recall against catalog size.

export interface Series {
  readonly name: string;
  readonly points: readonly { readonly size: number; readonly recall: number }[];
}

const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 60;
const RIGHT = 190;
const TOP = 50;
const BOTTOM = 60;
const COLOURS = ["#1b6ca8", "#c1440e", "#3a7d34", "#6b4c9a"];

/** Sizes on a logarithmic axis, recall from 0 to 1. The same series give the same bytes. */
export function recallPlot(title: string, series: readonly Series[]): string {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map((point) => point.size)))].toSorted(
    (a, b) => a - b,
  );
  const [least, most] = [Math.log(sizes[0] ?? 1), Math.log(sizes.at(-1) ?? 2)];
  const x = (size: number): string =>
    (LEFT + ((Math.log(size) - least) / (most - least || 1)) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (recall: number): string => (HEIGHT - BOTTOM - recall * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const right = WIDTH - RIGHT;
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (at) =>
      `<line x1="${LEFT}" x2="${right}" y1="${y(at)}" y2="${y(at)}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${y(at)}" text-anchor="end" dominant-baseline="middle">${at.toFixed(1)}</text>`,
  );
  const ticks = sizes.map(
    (size) =>
      `<line x1="${x(size)}" x2="${x(size)}" y1="${y(0)}" y2="${Number(y(0)) + 5}" stroke="#555"/>` +
      `<text x="${x(size)}" y="${Number(y(0)) + 20}" text-anchor="middle">${size}</text>`,
  );
  const lines = series.map(({ points }, at) => {
    const colour = COLOURS[at % COLOURS.length] as string;
    const path = points.map((point) => `${x(point.size)},${y(point.recall)}`).join(" ");
    const dots = points.map(
      (point) => `<circle cx="${x(point.size)}" cy="${y(point.recall)}" r="3" fill="${colour}"/>`,
    );
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}`;
  });
  const legend = series.map(({ name }, at) => {
    const top = TOP + 12 + at * 22;
    return (
      `<rect x="${right + 16}" y="${top - 6}" width="12" height="12" fill="${COLOURS[at % COLOURS.length]}"/>` +
      `<text x="${right + 34}" y="${top}" dominant-baseline="middle">${escaped(name)}</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="26" font-size="15">${escaped(title)}</text>`,
    ...grid,
    ...ticks,
    `<text x="${(LEFT + right) / 2}" y="${HEIGHT - 14}" text-anchor="middle">tools in the catalog (logarithmic)</text>`,
    ...lines,
    ...legend,
    "</svg>",
    "",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
