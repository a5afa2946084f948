// The way from a pod to the API server of its own cluster: the environment and the service account that the kubelet gives it.
import type { KubeconfigAccess, KubeconfigSource } from "./kubeconfig-source.ts";

/** Where the kubelet puts what belongs to the service account. */
const FOLDER = ["", "var", "run", "secrets", "kubernetes.io", "serviceaccount"].join("/");

/** Undefined outside of a pod, or where the pod has no service account's token. */
export async function inClusterAccess({
  env = {},
  readText,
}: Pick<KubeconfigSource, "env" | "readText">): Promise<KubeconfigAccess | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return undefined;
  const readToken = () => readText(`${FOLDER}/token`);
  const token = await readToken().catch(() => undefined);
  if (token === undefined) return undefined;
  const ca = await readText(`${FOLDER}/ca.crt`).catch(() => undefined);
  return {
    name: "in-cluster",
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ...(ca === undefined ? {} : { ca }),
    // The kubelet writes a new one before the old one ends.
    token: async () => (await readToken()).trim(),
    remediation: "check the network policies of the pod",
  };
}
