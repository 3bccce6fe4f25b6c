// Owns reading and writing files as a whole: bounded when read, replaced in one step when written.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The bytes of a regular file of at most `limit` bytes. Security: for paths that somebody else may have put something
 * at: a pipe would block for ever, a device would never end. Throws an error for people, or one of the system.
 */
export async function readBounded(path: string, limit: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw new Error("it is a folder, not a file");
    if (!stat.isFile()) throw new Error("it is not a regular file");
    if (stat.size > limit) throw new Error(`it is larger than ${limit.toLocaleString("en-US")} bytes`);
    return await filled(file, Buffer.alloc(stat.size));
  } finally {
    await file.close();
  }
}

async function filled(file: FileHandle, bytes: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Replaces the file, so that readers see the old one or the new one. `still` is asked last, and throws to keep the old. */
export async function replaceWhole(
  path: string,
  text: string,
  options: { readonly mode: number; readonly still?: () => Promise<void> },
): Promise<void> {
  const { mode, still } = options;
  const fresh = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    const file = await open(fresh, "wx", mode);
    try {
      // The mode of creation is cut by the umask; a file that is replaced keeps what it had.
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await still?.();
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw error;
  }
}

/** Makes the folder of a file that is for its owner alone. */
export async function ownFolderOf(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
}
