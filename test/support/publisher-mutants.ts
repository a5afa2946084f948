// Publishers and readers that do one thing wrong, made from the right ones by what they get to see of the store and in
// which order their writes take effect.
import { createHash } from "node:crypto";
import type { ObjectWrite, Parameter, ParameterStore } from "@outrigger/aws";
import type { Mutant } from "./publisher-model.ts";
import { layout } from "./publisher-setup.ts";

/** The name of a fault → a process that has it. Each breaks a promise that runInterleaving() checks. */
export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "the channel is moved before the release is written": {
    publisher: (store) => holdingBack(store, layout.releases, layout.channels),
  },
  "the head is moved before the snapshot is written": {
    publisher: (store) => holdingBack(store, layout.objects, layout.head),
  },
  "the manifest is ignored": { publisher: withoutManifest },
  "the tree is read once": { publisher: readingOnce },
  "another writer is not noticed": { publisher: alwaysInOrder },
  "the digest is not checked": { reader: (store) => believing(store, (part, tag) => part.startsWith(tag)) },
  "part tags are ignored": { reader: (store) => believing(store, () => true) },
};

/** Objects below one key are written after the next parameter below the path. */
function holdingBack(store: ParameterStore, held: string, released: string): ParameterStore {
  const waiting: ObjectWrite[] = [];
  const { objects } = store;
  return {
    ...store,
    objects: {
      ...objects,
      async putObject(write) {
        if (!write.key.startsWith(held)) return objects.putObject(write);
        waiting.push(write);
        return true;
      },
    },
    async putParameter(write) {
      const version = await store.putParameter(write);
      if (write.name.startsWith(released)) for (const late of waiting.splice(0)) await objects.putObject(late);
      return version;
    },
  };
}

function withoutManifest(store: ParameterStore): ParameterStore {
  const name = layout.sourceParameter("manifest");
  return {
    ...store,
    async getParametersByPath({ path, next }) {
      const page = await store.getParametersByPath({ path, next });
      return { ...page, parameters: page.parameters.filter((parameter) => parameter.name !== name) };
    },
  };
}

/** Every page of the source tree is what it was the first time, so that two readings always agree. */
function readingOnce(store: ParameterStore): ParameterStore {
  const pages = new Map<string | undefined, ReturnType<ParameterStore["getParametersByPath"]>>();
  return {
    ...store,
    getParametersByPath({ path, next }) {
      if (path !== layout.source) return store.getParametersByPath({ path, next });
      const page = pages.get(next) ?? store.getParametersByPath({ path, next });
      pages.set(next, page);
      return page;
    },
  };
}

/** Every head seems to be the version that it was meant to be. */
function alwaysInOrder(store: ParameterStore): ParameterStore {
  return {
    ...store,
    async getParameters(names) {
      const parameters = await store.getParameters(names);
      return parameters.map((parameter) => {
        if (parameter.name !== layout.head) return parameter;
        return { ...parameter, value: JSON.stringify({ ...JSON.parse(parameter.value), version: parameter.version }) };
      });
    },
    async putParameter(write) {
      const version = await store.putParameter(write);
      return write.name === layout.head ? (JSON.parse(write.value).version as number) : version;
    },
  };
}

/** Believes the mirror's parts that `counts` accepts by their tag, and takes their digest for the one in the head. */
function believing(store: ParameterStore, counts: (part: string, tag: string) => boolean): ParameterStore {
  return {
    ...store,
    async getParameters(names) {
      const parameters = await store.getParameters(names);
      const head = parameters.find(({ name }) => name === layout.head);
      if (head === undefined || names.length === 1) return parameters;
      const { digest, parts: count, ...rest } = JSON.parse(head.value);
      const byPlace = Array.from({ length: count }, (_, index) => {
        return parameters.find(({ name, value }) => name === layout.mirrorPart(index) && counts(value, `${digest} `));
      });
      if (!byPlace.every((part) => part !== undefined)) return parameters;
      const bodies = (byPlace as readonly Parameter[]).map(({ value }) => value.split(" ")[2] as string);
      const bytes = Buffer.from(bodies.join(""), "base64");
      const taken = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
      return [
        { ...head, value: JSON.stringify({ ...rest, parts: count, digest: taken }) },
        ...(byPlace as readonly Parameter[]).map((part, index) => {
          return { ...part, value: `${taken} ${index}/${count} ${bodies[index]}` };
        }),
      ];
    },
  };
}
