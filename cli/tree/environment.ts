// Which environment of a directory's tree is meant: --env, or the deployment's own setting. Nobody publishes one to the deployment of
// another, or a tree without its environment.
import { OutriggerError, usageError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { environmentOf, listEnvironments, readEnvironment, readSourceTree } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import { optionTable } from "../options/option.ts";

export const environmentOptions = optionTable({
  env: { argument: "<name>", about: "lay this environment of the tree over it: environments/NAME" },
});

/**
 * The tree of a directory, with an environment over it where one is named.
 *
 * @param below the tree without it, where it has been read already
 */
export async function readTree(directory: string, environment?: string, below?: SourceTree): Promise<SourceTree> {
  const tree = below ?? (await readSourceTree(directory));
  return environment === undefined ? tree : (await readEnvironment(directory, environment, tree)).tree;
}

/**
 * The environment with which a directory is published.
 *
 * | the deployment is for | --env    | the directory has | then                                  |
 * |-----------------------|----------|-------------------|---------------------------------------|
 * | prod                  | –, prod  | prod              | prod                                  |
 * | prod                  | dev      | any               | refused                               |
 * | prod                  | –, prod  | not prod          | refused, unless the tree is prod's already, as one that was pulled |
 * | all, or not known     | dev      | dev               | dev                                   |
 * | all, or not known     | –        | some              | refused: one has to be named          |
 * | all, or not known     | –        | none              | none                                  |
 *
 * @param below the tree of the directory, without an environment
 * @throws OutriggerError `usage` or `config-invalid`
 */
export async function chooseEnvironment(
  directory: string,
  below: SourceTree,
  asked: string | undefined,
  { environment, target }: Pick<Deployment, "environment" | "target">,
): Promise<string | undefined> {
  const own = (await environment()) || undefined;
  const known = await listEnvironments(directory);
  if (own !== undefined && asked !== undefined && asked !== own) {
    const message = `Cannot publish environment ${asked} to deployment ${target.stage}: it is for environment ${own}; leave out --env, or name another --deployment`;
    throw new OutriggerError("config-invalid", message, { path: directory });
  }
  const name = asked ?? own;
  if (name === undefined && known.length > 0) {
    throw usageError(
      `Cannot tell which environment of ${directory} is meant: there ${known.length === 1 ? "is" : "are"} ${known.join(", ")}; name one with --env, or set environment in outrigger.${target.stage}.yml and deploy`,
    );
  }
  if (name === undefined || known.includes(name)) return name;
  return environmentOf(below) === name ? undefined : name;
}
