// As whom a kubeconfig's user comes: a token, a file with one, a certificate, a plugin, and the identity that is taken on.
import { defined, isObject, listOf, objectOf } from "@outrigger/base";
import { pluginCredentials } from "./exec-plugin.ts";
import {
  type Credentials,
  type Entry,
  isGiven,
  isName,
  type KubeconfigSource,
  nameOf,
  pem,
  readNextTo,
  refused,
} from "./kubeconfig-entry.ts";

/** @param isSecure over plain HTTP, client-go sends no credentials */
export async function credentialsOf(
  source: KubeconfigSource,
  user: Entry,
  cluster: Entry,
  isSecure: boolean,
): Promise<Credentials> {
  assertSupported(user);
  const { exec, token, tokenFile } = user.entry;
  const headers = impersonation(user);
  const [certificate, key] = [await pem(source, user, "client-certificate"), await pem(source, user, "client-key")];
  if (certificate !== undefined && key === undefined) {
    throw refused(`user ${user.name} has a client-certificate and no client-key`);
  }
  if (!isSecure) return {};
  const others = { ...defined({ certificate, key }), ...headers };
  if (isName(tokenFile)) {
    await readNextTo(source, user, tokenFile);
    // The kubelet writes a new one before the old one ends.
    return { ...others, token: async () => (await readNextTo(source, user, tokenFile)).trim() };
  }
  if (isName(token)) return { ...others, token: async () => token };
  return isObject(exec) ? { ...others, ...(await pluginCredentials(source, user, exec, cluster)) } : others;
}

function assertSupported({ entry, name }: Entry): void {
  const provider =
    "an auth-provider, which Kubernetes has replaced: use a plugin (exec), as aws eks update-kubeconfig writes it";
  const password =
    "a user name and a password, which no API server of EKS takes: use a token, a certificate or a plugin (exec)";
  if (isGiven(entry["auth-provider"])) throw refused(`user ${name} has ${provider}`);
  if (isName(entry["username"]) || isName(entry["password"])) throw refused(`user ${name} has ${password}`);
}

/** `as` and its like: the API server takes the request for one of that user. */
function impersonation({ entry, name }: Entry): Pick<Credentials, "headers"> {
  const [user, uid] = [nameOf(entry["as"]), nameOf(entry["as-uid"])];
  const groups = listOf(entry["as-groups"]).map(String);
  const extra = Object.entries(objectOf(entry["as-user-extra"]));
  if (user === undefined) {
    if (uid === undefined && groups.length === 0 && extra.length === 0) return {};
    throw refused(`user ${name} has as-groups, as-uid or as-user-extra without as: say as whom to come`);
  }
  const pairs: readonly (readonly [string, string | readonly string[]])[] = [
    ["Impersonate-User", user],
    ...(uid === undefined ? [] : [["Impersonate-Uid", uid] as const]),
    ...(groups.length === 0 ? [] : [["Impersonate-Group", groups] as const]),
    ...extra.map(([key, values]) => [`Impersonate-Extra-${escaped(key)}`, listOf(values).map(String)] as const),
  ];
  return { headers: Object.fromEntries(pairs) };
}

/** Characters that no header's name may have, in percent encoding; lower case, as client-go writes it. */
function escaped(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replaceAll(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
