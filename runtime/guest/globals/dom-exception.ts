// Owns DOMException, made at first use.
import { ErrorCtor, ObjectDefineProperty, StringCtor } from "../primordials.ts";
import { nameFunction, once } from "./define.ts";

const LEGACY_CODES: Readonly<Record<string, number>> = {
  __proto__: null as never,
  IndexSizeError: 1,
  HierarchyRequestError: 3,
  WrongDocumentError: 4,
  InvalidCharacterError: 5,
  NoModificationAllowedError: 7,
  NotFoundError: 8,
  NotSupportedError: 9,
  InUseAttributeError: 10,
  InvalidStateError: 11,
  SyntaxError: 12,
  InvalidModificationError: 13,
  NamespaceError: 14,
  InvalidAccessError: 15,
  TypeMismatchError: 17,
  SecurityError: 18,
  NetworkError: 19,
  AbortError: 20,
  URLMismatchError: 21,
  QuotaExceededError: 22,
  TimeoutError: 23,
  InvalidNodeTypeError: 24,
  DataCloneError: 25,
};

export interface DOMExceptionClass {
  new (message?: unknown, name?: unknown): Error & { readonly code: number };
}

/** The class. Its `name` is an own property, so that printing an exception runs no getter. */
export const domException: () => DOMExceptionClass = once(() => {
  class DOMException extends ErrorCtor {
    constructor(message: unknown = "", name: unknown = "Error") {
      super(StringCtor(message));
      const own = StringCtor(name);
      ObjectDefineProperty(this, "name", { __proto__: null, value: own, configurable: true });
      ObjectDefineProperty(this, "code", {
        __proto__: null,
        value: LEGACY_CODES[own] ?? 0,
        configurable: true,
      });
    }
  }
  nameFunction(DOMException, "DOMException");
  return DOMException as unknown as DOMExceptionClass;
});

/** A DOMException, ready to throw. */
export function newDOMException(message: string, name: string): Error {
  return new (domException())(message, name);
}
