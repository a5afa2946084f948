// One HTTP exchange by Node's own fetch, for what no pod waits for: it is there already, and keeps connections.
import type { Exchange } from "./exchange-once.ts";

/** Redirects are answers: a signature is valid for one host. */
export const fetchExchange: Exchange = async (url, { method = "GET", headers, body, signal }) => {
  // It names the host itself.
  const { host: _, ...sent } = headers;
  const answer = await fetch(url, {
    method,
    headers: sent,
    redirect: "manual",
    ...(method === "PUT" ? { body } : {}),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: answer.status, body: await answer.text() };
};
