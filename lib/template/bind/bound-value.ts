// What is known about a value when templates are loaded: the value, or how to read it from the registers of a rendering.

import { ownProperty, ownPropertyReader } from "./own-property.ts";

export type Read = (registers: readonly unknown[]) => unknown;

export type BoundValue =
  | { readonly kind: "constant"; readonly value: unknown }
  | { readonly kind: "dynamic"; readonly read: Read }
  /** The template data: some of its roots are constant. */
  | { readonly kind: "data"; readonly constants: Readonly<Record<string, unknown>> }
  /** The context of a partial, overridden by its arguments. */
  | { readonly kind: "extended"; readonly base: BoundValue; readonly entries: ReadonlyMap<string, BoundValue> };

export const NOTHING: BoundValue = { kind: "constant", value: undefined };

export function constant(value: unknown): BoundValue {
  return { kind: "constant", value };
}

export function register(index: number): BoundValue {
  return { kind: "dynamic", read: (registers) => registers[index] };
}

export function boundProperty(value: BoundValue, name: string): BoundValue {
  switch (value.kind) {
    case "constant":
      return constant(ownProperty(value.value, name));
    case "data": {
      if (Object.hasOwn(value.constants, name)) return constant(value.constants[name]);
      const property = ownPropertyReader(name);
      return { kind: "dynamic", read: (registers) => property(registers[0]) };
    }
    case "extended":
      return value.entries.get(name) ?? boundProperty(value.base, name);
    case "dynamic": {
      const { read } = value;
      const property = ownPropertyReader(name);
      return { kind: "dynamic", read: (registers) => property(read(registers)) };
    }
  }
}

export function boundPath(value: BoundValue, names: readonly string[]): BoundValue {
  return names.reduce(boundProperty, value);
}

export function readerOf(value: BoundValue): Read {
  switch (value.kind) {
    case "constant": {
      const known = value.value;
      return () => known;
    }
    case "dynamic":
      return value.read;
    case "data":
      return (registers) => registers[0];
    case "extended":
      return extendedReader(readerOf(value.base), value.entries);
  }
}

function extendedReader(base: Read, entries: ReadonlyMap<string, BoundValue>): Read {
  const readers = [...entries].map(([name, entry]) => [name, readerOf(entry)] as const);
  return (registers) => {
    const under = base(registers);
    const all = typeof under === "object" && under !== null ? Object.entries(under) : [];
    return Object.fromEntries([...all, ...readers.map(([name, read]) => [name, read(registers)] as const)]);
  };
}
