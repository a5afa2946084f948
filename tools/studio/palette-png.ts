// Makes a screenshot small: the same picture with at most 256 colours, which text on a plain ground hardly needs.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @param png 8 bits a channel, RGB or RGBA, not interlaced: as Chromium writes it */
export function palettePng(png: Buffer): Buffer {
  const { width, height, channels, pixels } = readPixels(png);
  const colours = new Uint32Array(width * height);
  const counts = new Map<number, number>();
  for (let at = 0; at < colours.length; at += 1) {
    const colour = pixels.readUIntBE(at * channels, 3);
    colours[at] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 256)
    .map(([colour]) => colour);
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(colour, palette)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of colours.entries()) {
    // Each row begins with its filter: none.
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexes.get(colour) as number;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const colourTable = Buffer.from(palette.flatMap(channelsOf));
  const chunks = [chunk("IHDR", header), chunk("PLTE", colourTable), chunk("IDAT", deflateSync(rows, { level: 9 }))];
  return Buffer.concat([SIGNATURE, ...chunks, chunk("IEND", Buffer.alloc(0))]);
}

function nearest(colour: number, palette: readonly number[]): number {
  const distances = palette.map((one) => distance(channelsOf(one), channelsOf(colour)));
  return distances.indexOf(Math.min(...distances));
}

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + (value - (b[at] as number)) ** 2, 0);
}

function channelsOf(colour: number): readonly number[] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** Row by row, without filters. */
  readonly pixels: Buffer;
}

function readPixels(png: Buffer): Pixels {
  const [width, height, channels] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  const filtered = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = filtered[row * (stride + 1)] as number;
    for (let at = 0; at < stride; at += 1) {
      const left = at < channels ? 0 : (pixels[row * stride + at - channels] as number);
      const up = row === 0 ? 0 : (pixels[(row - 1) * stride + at] as number);
      const corner = row === 0 || at < channels ? 0 : (pixels[(row - 1) * stride + at - channels] as number);
      const raw = filtered[row * (stride + 1) + 1 + at] as number;
      pixels[row * stride + at] = raw + predicted(filter, left, up, corner);
    }
  }
  return { width, height, channels, pixels };
}

/** PNG's filters: none, left, up, average and Paeth's. */
function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
