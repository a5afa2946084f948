// The arguments of every helper that a template may use: those of the template language, and those of template-data.ts.

import { HELPER_ARGUMENTS as GENERAL, type HelperArgument, type HelperArguments } from "@outrigger/template";

const CONTAINERS: HelperArgument = ["containers", "the pod's containers: spec.containers"];

export const HELPER_ARGUMENTS: HelperArguments = {
  ...GENERAL,
  appContainers: [CONTAINERS],
  podPorts: [CONTAINERS],
  protoToJSON: [["proxyConfig", "the configuration of the proxy"]],
  userVolumeMounts: [["text", "the annotation sidecar.istio.io/userVolumeMount"]],
  userVolumes: [["text", "the annotation sidecar.istio.io/userVolume"]],
};
