// The URL that an API server calls: building it from its parts and parsing it. Pure.
import { DEFAULT_REVISION, defined } from "@outrigger/base";
import type { WebhookSettings } from "./webhook-settings.ts";

/**
 * Returns `<base>/t/<token>/inject/cluster/<id>/net/<network>`, with `/r/<revision>` before `/inject` for a revision
 * other than the default. A webhook's URL may have no query, so everything is in the path; a slash is encoded as Istio
 * does.
 */
export function webhookUrl({ url, token, revision, clusterId, network }: WebhookUrlParts): string {
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  const revisionPart = revision === DEFAULT_REVISION ? "" : `/r/${revision}`;
  return `${base}/t/${token}${revisionPart}/inject${parameter("cluster", clusterId)}${parameter("net", network)}`;
}

/** The parts of a webhook's URL, of which `url` is the base. */
type WebhookUrlParts = Pick<WebhookSettings, "url" | "token" | "revision" | "clusterId" | "network">;

/** The parts of a URL of ours, or undefined for any other. */
export function parseWebhookUrl(url: string): WebhookUrlParts | undefined {
  const [, base, token, revision, path] = URL_PATTERN.exec(url) ?? [];
  if (base === undefined || token === undefined || path === undefined) return undefined;
  const [, clusterId, network] = /^(?:\/cluster\/([^/]+))?(?:\/net\/([^/]+))?$/.exec(path) ?? [];
  return defined({
    url: base,
    token,
    revision: revision ?? DEFAULT_REVISION,
    clusterId: clusterId?.replaceAll(SLASH, "/"),
    network: network?.replaceAll(SLASH, "/"),
  });
}

/** The URL as it may be shown: a token is a secret. */
export function withoutToken(url: string): string {
  return url.replace(/\/t\/[^/]+/, "/t/…");
}

const URL_PATTERN = /^(https?:\/\/[^?#]+?)\/t\/([^/?#]+)(?:\/r\/([^/?#]+))?\/inject((?:\/[^?#]*)?)$/;
const SLASH = "--slash--";

function parameter(name: string, value: string | undefined): string {
  return value === undefined ? "" : `/${name}/${value.replaceAll("/", SLASH)}`;
}
