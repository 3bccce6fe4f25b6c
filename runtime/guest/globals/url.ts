// Owns URL and URLSearchParams: core-js, evaluated at first use without a trace on the other globals.
import {
  MathObject,
  ObjectGetOwnPropertyDescriptor,
  ReflectDefineProperty,
  ReflectDeleteProperty,
  FunctionPrototype,
  append,
  globalObject,
  safeList,
  ObjectSetPrototypeOf,
  getterOf,
  methodOf,
} from "../primordials.ts";
import { addKind } from "./inspect-kinds.ts";
import { cutText } from "./text-limits.ts";

declare const require: (id: string) => unknown;

const MAX_URL_TEXT = 2_000;

/** What core-js writes while it is evaluated. `Math.random` is read by it: the script's sequence must not move. */
const TOUCHED: readonly (readonly [object, string])[] = [
  [globalObject, "URL"],
  [globalObject, "URLSearchParams"],
  [globalObject, "__core-js_shared__"],
  [FunctionPrototype, "toString"],
  [MathObject, "random"],
];

interface Loaded {
  readonly URL: { readonly prototype: object };
  readonly URLSearchParams: { readonly prototype: object };
}

function setTo(index: number, value: unknown): void {
  const touched = TOUCHED[index] as readonly [object, string];
  ReflectDefineProperty(touched[0], touched[1], {
    __proto__: null,
    value,
    writable: true,
    configurable: true,
  });
}

/** Evaluates core-js's URL. Everything that it changes is put back. */
export function loadUrl(): Readonly<Record<string, unknown>> {
  const before = safeList<PropertyDescriptor | undefined>();
  for (let i = 0; i < TOUCHED.length; i++) {
    const touched = TOUCHED[i] as readonly [object, string];
    const descriptor = ObjectGetOwnPropertyDescriptor(touched[0], touched[1]);
    append(before, descriptor === undefined ? undefined : ObjectSetPrototypeOf(descriptor, null));
  }
  // It tests whatever is there: not these very getters.
  setTo(0, undefined);
  setTo(1, undefined);
  setTo(4, () => 0.5);
  try {
    const URLSearchParams = require("core-js/web/url-search-params") as Loaded["URLSearchParams"];
    const URL = require("core-js/web/url") as Loaded["URL"];
    addUrlKinds({ URL, URLSearchParams });
    return { __proto__: null, URL, URLSearchParams } as never;
  } finally {
    for (let i = 0; i < TOUCHED.length; i++) {
      const touched = TOUCHED[i] as readonly [object, string];
      const descriptor = before[i];
      if (descriptor === undefined) ReflectDeleteProperty(touched[0], touched[1]);
      else ReflectDefineProperty(touched[0], touched[1], descriptor as never);
    }
  }
}

function addUrlKinds(loaded: Loaded): void {
  const href = getterOf(loaded.URL.prototype, "href") as (url: object) => string;
  const size = getterOf(loaded.URLSearchParams.prototype, "size") as (params: object) => number;
  const toText = methodOf(loaded.URLSearchParams.prototype, "toString") as (params: object) => string;
  addKind(loaded.URL.prototype, {
    __proto__: null,
    test: href,
    base: (url) => `URL { ${cutText(href(url), MAX_URL_TEXT)} }`,
  });
  addKind(loaded.URLSearchParams.prototype, {
    __proto__: null,
    test: size,
    base: (params) => `URLSearchParams { ${cutText(toText(params), MAX_URL_TEXT)} }`,
  });
}
