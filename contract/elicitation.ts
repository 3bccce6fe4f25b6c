// Owns the words of a question that a server puts to a person in the middle of a call: MCP's elicitation in form mode.

/** What a field is called, in words of the server. */
export interface FieldWords {
  readonly title?: string;
  readonly description?: string;
}

/** One option of a choice. */
export interface FieldOption {
  readonly const: string;
  readonly title: string;
}

/** A text, or with `enum` or `oneOf` a choice of one. */
export interface TextField extends FieldWords {
  readonly type: "string";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: "email" | "uri" | "date" | "date-time";
  readonly enum?: readonly string[];
  /** Titles of `enum`, as older servers give them. */
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly FieldOption[];
  readonly default?: string;
}

export interface NumberField extends FieldWords {
  readonly type: "number" | "integer";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export interface BooleanField extends FieldWords {
  readonly type: "boolean";
  readonly default?: boolean;
}

/** A choice of several. */
export interface ChoicesField extends FieldWords {
  readonly type: "array";
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items:
    | { readonly type: "string"; readonly enum: readonly string[] }
    | { readonly anyOf: readonly FieldOption[] };
  readonly default?: readonly string[];
}

export type ElicitationField = TextField | NumberField | BooleanField | ChoicesField;

export interface ElicitationSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, ElicitationField>>;
  readonly required: readonly string[];
}

export type ElicitationValue = string | number | boolean | readonly string[];

/** A question of a server to a person. All texts are the server's: bounded, without invisible characters, untrusted. */
export interface ElicitationRequest {
  readonly runId: string;
  /** The configured name: say it to the person, since it is the server that asks and gets the answer. */
  readonly server: string;
  /** Raw name of the tool that asks; absent where several calls of the run are open and it cannot be told. */
  readonly tool?: string;
  /** May have several lines. */
  readonly message: string;
  readonly requestedSchema: ElicitationSchema;
}

/** `content` counts with `accept` only; fields that are left out get their defaults. */
export interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, ElicitationValue>>;
}

/** Puts a server's question to a person. `signal` aborts when nobody waits for the answer any more. */
export type Elicit = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal },
) => Promise<ElicitationAnswer>;
