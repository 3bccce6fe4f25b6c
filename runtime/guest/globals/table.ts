// Owns console.table.
import {
  ArrayIsArray,
  NumberToString,
  ObjectGetOwnPropertyDescriptor,
  ObjectHasOwnProperty,
  ObjectKeys,
  SafeMap,
  StringCtor,
  StringRepeat,
  append,
  safeList,
} from "../primordials.ts";
import { formatDeep } from "./format.ts";
import { findKind } from "./inspect-kinds.ts";
import { withoutProxy } from "./proxy.ts";
import { ownData } from "./reflect.ts";
import { cutText } from "./text-limits.ts";

const MAX_ROWS = 100;
const MAX_COLUMNS = 20;
const MAX_CELL = 80;
const VALUES = "Values";

interface Row {
  readonly index: string;
  readonly value: unknown;
}

/** The text of `console.table(data, columns)`; undefined when `data` is no object, and is to be printed as it is. */
export function formatTable(data: unknown, columns: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const source = withoutProxy(data);
  const rows = safeList<Row>();
  const hidden = collectRows(source, rows);
  const names = new SafeMap<string, number>();
  if (ArrayIsArray(columns)) {
    for (let i = 0; i < columns.length; i++) {
      const name = columns[i] as unknown;
      if (typeof name === "string" || typeof name === "number") addColumn(names, StringCtor(name));
    }
  }
  const chosen = names.size > 0;
  let primitives = false;
  const grid = safeList<string[]>();
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r] as Row;
    const cells = safeList<string>();
    append(cells, row.index);
    append(grid, cells);
    if (typeof row.value !== "object" || row.value === null) {
      primitives = true;
      continue;
    }
    const record = withoutProxy(row.value);
    if (!chosen) addColumns(names, record);
    names.forEach((at, name) => {
      const descriptor = ObjectGetOwnPropertyDescriptor(record, name);
      if (descriptor !== undefined) cells[at] = cell(ownData(record, name));
    });
  }
  const header = safeList<string>();
  append(header, "(index)");
  names.forEach((_at, name) => append(header, cutText(name, MAX_CELL)));
  if (primitives) append(header, VALUES);
  for (let r = 0; r < grid.length; r++) {
    const value = (rows[r] as Row).value;
    if (typeof value !== "object" || value === null) (grid[r] as string[])[header.length - 1] = cell(value);
  }
  const note = hidden > 0 ? `\n... ${NumberToString(hidden)} more rows` : "";
  return draw(header, grid) + note;
}

function collectRows(source: object, rows: Row[]): number {
  const kind = ArrayIsArray(source) ? undefined : findKind(source);
  if (kind?.fill !== undefined) {
    const entries = safeList<string>();
    const size = kind.size === undefined ? 0 : kind.size(source);
    const values = safeList<unknown>();
    kind.fill(source, entries, (item) => (append(values, item), ""));
    const step = kind.clone === "map" ? 2 : 1;
    for (let i = 0; i + step <= values.length; i += step) {
      const index = step === 2 ? cell(values[i]) : NumberToString(i);
      append(rows, { index, value: values[i + step - 1] });
    }
    return size - rows.length;
  }
  if (ArrayIsArray(source)) {
    for (let i = 0; i < source.length && i < MAX_ROWS; i++) {
      append(rows, { index: NumberToString(i), value: ownData(source, i) });
    }
    return source.length - rows.length;
  }
  const keys = ObjectKeys(source);
  for (let i = 0; i < keys.length && i < MAX_ROWS; i++) {
    const key = keys[i] as string;
    append(rows, { index: cutText(key, MAX_CELL), value: ownData(source, key) });
  }
  return keys.length - rows.length;
}

function addColumn(names: SafeMap<string, number>, name: string): void {
  if (names.size < MAX_COLUMNS && !names.has(name)) names.set(name, names.size + 1);
}

function addColumns(names: SafeMap<string, number>, record: object): void {
  // The keys of a huge list are not listed.
  if (ArrayIsArray(record) || findKind(record)?.indexed === true) {
    for (let i = 0; i < MAX_COLUMNS; i++) {
      if (ObjectHasOwnProperty(record, i)) addColumn(names, NumberToString(i));
    }
    return;
  }
  const keys = ObjectKeys(record);
  for (let i = 0; i < keys.length && i < MAX_COLUMNS; i++) addColumn(names, keys[i] as string);
}

function cell(value: unknown): string {
  const text = cutText(formatDeep(value, 0), MAX_CELL);
  let out = "";
  for (let i = 0; i < text.length; i++) out += text[i] === "\n" ? " " : (text[i] as string);
  return out;
}

function draw(header: readonly string[], grid: readonly (readonly string[])[]): string {
  const widths = safeList<number>();
  for (let c = 0; c < header.length; c++) {
    let width = (header[c] as string).length;
    for (let r = 0; r < grid.length; r++) {
      const length = (grid[r]?.[c] ?? "").length;
      if (length > width) width = length;
    }
    append(widths, width + 2);
  }
  let out = `${rule(widths, "┌", "┬", "┐")}\n${line(header, widths)}\n${rule(widths, "├", "┼", "┤")}\n`;
  for (let r = 0; r < grid.length; r++) out += `${line(grid[r] as readonly string[], widths)}\n`;
  return out + rule(widths, "└", "┴", "┘");
}

function rule(widths: readonly number[], left: string, middle: string, right: string): string {
  let out = left;
  for (let c = 0; c < widths.length; c++)
    out += (c === 0 ? "" : middle) + StringRepeat("─", widths[c] as number);
  return out + right;
}

function line(cells: readonly string[], widths: readonly number[]): string {
  let out = "│";
  for (let c = 0; c < widths.length; c++) {
    const text = cells[c] ?? "";
    out += ` ${text}${StringRepeat(" ", (widths[c] as number) - text.length - 1)}│`;
  }
  return out;
}
