// Owns the words of a run's progress.

/** What a server says of one call. Untrusted; the message is one bounded line without invisible characters. */
export interface UpstreamProgress {
  readonly seq: number;
  readonly server: string;
  /** Raw tool name. */
  readonly tool: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RunProgress {
  /** Calls that have ended. */
  readonly done: number;
  readonly open: number;
  /** Set when this is told because a server reported progress of its own. */
  readonly upstream?: UpstreamProgress;
}
