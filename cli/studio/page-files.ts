// The files of the studio's page, read into memory when the studio starts.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array | string;
}

/** The file at a path of the URL, with the nonce that its style elements need. */
export type PageFiles = (path: string, nonce: string) => PageFile | undefined;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** What index.html has in place of the nonce. */
const NONCE = "STYLE_NONCE";

/** @throws OutriggerError `usage` if the page has not been built */
export async function readPage(directory: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  const names = await readdir(directory).catch((cause: unknown) => {
    const message = `Cannot open the studio: ${directory} is missing; build it with npm run build`;
    throw new OutriggerError("usage", message, { path: directory, cause });
  });
  for (const name of names) {
    const type = TYPES[/\.\w+$/.exec(name)?.[0] ?? ""];
    if (type !== undefined) files.set(`/${name}`, { type, body: await readFile(join(directory, name)) });
  }
  return (path, nonce) => {
    const file = files.get(path === "/" ? "/index.html" : path);
    if (file === undefined || file.type !== TYPES[".html"]) return file;
    return { ...file, body: Buffer.from(file.body).toString("utf8").replaceAll(NONCE, nonce) };
  };
}
