// Owns the reading of base64 as servers write it.

/**
 * Canonical base64 of the same bytes: line breaks, the alphabet of URLs, missing padding and stray last bits are put
 * right. Undefined when it is not base64. A text that is canonical comes back as it is.
 */
export function canonicalBase64(text: string): string | undefined {
  const canonical = Buffer.from(text, "base64").toString("base64");
  if (canonical === text) return text;
  const digits = text
    .replace(/[\t\n\f\r ]+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const end = digits.endsWith("==") ? -2 : digits.endsWith("=") ? -1 : digits.length;
  const bare = digits.slice(0, end);
  const same = canonical.replace(/=+$/, "");
  // Node leaves out what is no base64 and ends at the first padding: then there is less of it. A last digit may
  // differ in bits that belong to no byte.
  if (bare.length !== same.length || bare.length % 4 === 1) return undefined;
  return bare.slice(0, -1) === same.slice(0, -1) ? canonical : undefined;
}

/** `length` bytes from `offset`, as base64. `data` is canonical. */
export function sliceBase64(data: string, offset: number, length: number): string {
  const first = Math.floor(offset / 3);
  const last = Math.ceil((offset + length) / 3);
  const part = Buffer.from(data.slice(first * 4, last * 4), "base64");
  const start = offset - first * 3;
  return part.subarray(start, start + length).toString("base64");
}
