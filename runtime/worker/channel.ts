// Owns fd 3, the worker's only way to the broker.
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { corkPerTurn, createFrameDecoder, encodeFrame, MAX_FRAME_BYTES } from "../../contract/frame.ts";
import type { FromWorker, ToWorker } from "../../contract/message.ts";

const CHANNEL_FD = 3;

/** Writes what the pipe takes at once, which saves a stream's detour; the rest, if any, goes through the stream. */
function writeNow(frame: Buffer): Buffer | undefined {
  try {
    const written = writeSync(CHANNEL_FD, frame);
    return written === frame.length ? undefined : frame.subarray(written);
  } catch {
    // The pipe is full for the moment, or gone: the stream will know which.
    return frame;
  }
}

export interface Channel {
  send(message: FromWorker): void;
  /** Writes at once, for the last words of a process that is about to die. */
  sendLast(message: FromWorker): void;
}

/** Calls `receive` for each message; ends the process when the broker is gone. */
export function openChannel(receive: (message: ToWorker) => void): Channel {
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  const corked = corkPerTurn(socket);
  const decoder = createFrameDecoder({ maxBytes: MAX_FRAME_BYTES });
  const leave = (): void => void process.kill(process.pid, "SIGKILL");
  socket.on("data", (chunk: Buffer) => {
    for (const message of decoder.push(chunk)) receive(message as ToWorker);
  });
  socket.on("close", leave);
  socket.on("error", leave);
  return {
    send: (message) => {
      const frame = encodeFrame(message);
      const left = socket.writableLength > 0 ? frame : writeNow(frame);
      if (left === undefined) return;
      corked.next();
      socket.write(left);
    },
    sendLast: (message) => {
      // What waits in the socket may be half written; words in the middle of a frame would read as an attack.
      if (socket.writableLength > 0) return;
      try {
        writeSync(CHANNEL_FD, encodeFrame(message));
      } catch {
        // The pipe is full or gone; the broker then judges by the way this process died.
      }
    },
  };
}
