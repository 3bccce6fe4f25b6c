// Owns the receipts of one run, in the order of its calls.
import type { CallReceipt, CallRequest } from "../contract/call.ts";
import { byteLength } from "../contract/json.ts";

export type ReceiptEnd = Pick<CallReceipt, "status"> &
  Partial<Pick<CallReceipt, "code" | "resultBytes" | "safeToRepeat" | "rules" | "approval" | "planned">>;

export interface Receipts {
  /** Opens the receipt of a call; the result closes it, once. */
  open(request: CallRequest): {
    /** `contentBytes`: binary content sent with the arguments. */
    sent(contentBytes?: number): void;
    close(end: ReceiptEnd): void;
  };
  /** Calls that never left the guest. */
  unsent(call: { readonly seq: number; readonly server: string; readonly tool: string }): void;
  list(): readonly CallReceipt[];
  /** Calls open now, and closed. */
  readonly openCount: number;
  readonly closedCount: number;
}

/** `changed` is told after every change, for progress. */
export function createReceipts(options: {
  readonly clock: () => number;
  readonly changed?: ((receipts: Receipts) => void) | undefined;
}): Receipts {
  const { clock } = options;
  const closed: CallReceipt[] = [];
  let openCount = 0;
  const tell = (): void => {
    try {
      options.changed?.(receipts);
    } catch {
      // A listener's fault is its own: it must not end the run.
    }
  };
  const receipts: Receipts = {
    open(request) {
      openCount += 1;
      tell();
      let sentAt: number | undefined;
      let sentBytes = 0;
      let open = true;
      return {
        sent(contentBytes = 0) {
          sentAt = clock();
          sentBytes = contentBytes;
        },
        close(end) {
          if (!open) return;
          open = false;
          openCount -= 1;
          const { seq, server, tool, line } = request;
          closed.push({
            seq,
            server,
            tool,
            durationMs: sentAt === undefined ? 0 : Math.round(clock() - sentAt),
            argumentBytes: byteLength(request.argumentsJson) + sentBytes,
            resultBytes: 0,
            safeToRepeat: sentAt === undefined,
            ...(line !== undefined && { line }),
            ...end,
          });
          tell();
        },
      };
    },
    unsent({ seq, server, tool }) {
      const nothing = { durationMs: 0, argumentBytes: 0, resultBytes: 0, safeToRepeat: true };
      closed.push({ seq, server, tool, status: "unsent", ...nothing });
    },
    list: () => closed.toSorted((a, b) => a.seq - b.seq),
    get openCount() {
      return openCount;
    },
    get closedCount() {
      return closed.length;
    },
  };
  return receipts;
}
