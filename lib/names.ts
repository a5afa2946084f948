// How clusters, channels and revisions are named: in parameters, URLs, metrics and webhook configurations.

/** A cluster's name in parameters, URLs and metrics. Every name that EKS allows matches. */
export const clusterNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Channels and revisions are named as Kubernetes labels are. */
export const channelNamePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A cluster's Kubernetes version, in the form that EKS reports. */
export const kubernetesVersionPattern = /^1\.\d{1,3}$/;

/** The revision of a URL that names none. */
export const DEFAULT_REVISION = "default";
