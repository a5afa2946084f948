// What a name on the command line refers to: a channel, a release, the tree in Parameter Store, a directory, or the
// shipped tree. Each leads to a release that can inject.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { MAX_NAMES } from "@outrigger/aws";
import { channelNamePattern, OutriggerError, ownError, usageError } from "@outrigger/base";
import { fromStored, type Release, type SourceTree } from "@outrigger/injector";
import {
  type ChannelRecord,
  type ReleaseOrigin,
  readChannelRecord,
  readRelease,
  readSettledSource,
  releasePattern,
  treeDigest,
} from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";
import { wholeDigest } from "../releases/read-records.ts";
import type { Io } from "../terminal/io.ts";
import { compileTree } from "../tree/compile-tree.ts";
import { readTree } from "../tree/environment.ts";
import { directoryOf, shippedTree } from "../tree/read-trees.ts";
import { digestPattern } from "./names.ts";

export interface Referred {
  /** The reference as it was written. */
  readonly name: string;
  readonly release: Release;
  readonly digest: string;
  /** The channel that the reference names. It is left out if it names anything else. */
  readonly channel?: string;
  /** The environment that is laid over the tree of a directory. */
  readonly environment?: string;
  /** The texts over the shipped ones; undefined where they are not kept. */
  readonly tree: SourceTree | undefined;
}

export const REFERENCES = `
A tree is named by one of these:
  stable           a channel: the release that it serves
  1f2e3d4c5b6a     a release, by its digest or the first digits of it (outrigger releases)
  source           the tree in Parameter Store, published or not
  my-templates     a directory, where no channel has that name; ./my-templates in any case
  shipped          the templates that come with Outrigger, alone`;

/**
 * @param connect is called only for what is not on this machine
 * @param environment of the tree, where the reference is a directory
 * @throws OutriggerError saying which of these there are, or what is wrong with the tree
 */
export async function findReference(
  name: string,
  connect: () => Promise<Deployment>,
  io: Io,
  environment?: string,
): Promise<Referred> {
  const directoryTree = async (directory: string) => {
    const tree = await readTree(directoryOf(directory, io), environment);
    if (environment === undefined) return compiled(name, tree, io);
    return { ...(await compiled(`${name} (${environment})`, tree, io)), environment };
  };
  if (name === "shipped") return compiled(name, {}, io);
  if (/[/\\]|^\.\.?$/.test(name)) return directoryTree(name);
  if (name === "source") {
    const { store, target } = await connect();
    return compiled(name, (await readSettledSource(store, target.layout)).tree, io);
  }
  const isDirectory = statSync(resolve(io.cwd, name), { throwIfNoEntry: false })?.isDirectory() === true;
  if (!releasePattern.test(name) && !channelNamePattern.test(name)) {
    if (isDirectory) return directoryTree(name);
    throw usageError(`Cannot find ${JSON.stringify(name)}: name a channel, a release, source, shipped or a directory`);
  }
  try {
    const deployment = await connect();
    const { digest, ...place } = releasePattern.test(name) ? { digest: name } : await servedBy(deployment, name, io);
    const { release, origin } = await readRelease(
      { store: deployment.store, layout: deployment.target.layout },
      digest,
    );
    return { name, release, digest, ...place, tree: await releaseTree(deployment, origin) };
  } catch (error) {
    if (!isDirectory || !(error instanceof OutriggerError)) throw error;
    if (error.code !== "channel-unknown" && error.code !== "release-unknown") {
      io.stderr.write(`Warning: ${name} is the directory here: channels are not known, because ${error.message}\n`);
    }
    return directoryTree(name);
  }
}

/** A channel comes before a release whose digest begins like its name, as a branch of git does. */
async function servedBy(deployment: Deployment, name: string, io: Io): Promise<Pick<Referred, "digest" | "channel">> {
  try {
    return { digest: (await readChannel(deployment, name)).release, channel: name };
  } catch (error) {
    if (ownError(error).code !== "channel-unknown" || !digestPattern.test(name)) throw error;
    return { digest: await wholeDigest(name, deployment, io) };
  }
}

/** Throws `channel-unknown` where there is none. */
export async function readChannel({ store, target }: Deployment, channel: string): Promise<ChannelRecord> {
  const path = target.layout.channel(channel);
  const [parameter] = await store.getParameters([path]);
  if (parameter !== undefined) return readChannelRecord(parameter);
  const message = `Cannot find channel ${channel} below ${target.layout.channels}: "outrigger channel" lists those that exist`;
  throw new OutriggerError("channel-unknown", message, { path });
}

async function compiled(name: string, tree: SourceTree, io: Io): Promise<Referred> {
  const release = await compileTree([await shippedTree(io), tree]);
  return { name, release, digest: releaseDigest(release), tree };
}

/**
 * The source tree of a release, as it was published: the release says of which versions of parameters it was made. Undefined where
 * one was deleted since or has a hundred newer versions, so that the tree is not the one that the release names.
 */
async function releaseTree(
  { store, target }: Pick<Deployment, "store" | "target">,
  origin: ReleaseOrigin | undefined,
): Promise<SourceTree | undefined> {
  if (origin?.sources === undefined) return undefined;
  const names = origin.sources.map((source) => {
    const at = source.lastIndexOf("@");
    return `${target.layout.sourceParameter(source.slice(0, at))}:${source.slice(at + 1)}`;
  });
  const texts: (readonly [string, string])[] = [];
  for (let index = 0; index < names.length; index += MAX_NAMES) {
    for (const { name, value } of await store.getParameters(names.slice(index, index + MAX_NAMES))) {
      const path = name.slice(target.layout.source.length + 1);
      texts.push([path, fromStored(value, name)]);
    }
  }
  const tree = Object.fromEntries(texts);
  return treeDigest(tree) === origin.tree ? tree : undefined;
}
