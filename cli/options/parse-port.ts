// Reads the number of a port from the command line.
import { InvalidArgumentError } from "commander";

/** 0 to 65535; 0 takes a free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}
