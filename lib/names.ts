// The names of clusters, channels and revisions in parameters, URLs, metrics and webhook configurations.

/** The name of a cluster in parameters, URLs and metrics. Matches every name that EKS allows. */
export const clusterNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Channels and revisions are named as Kubernetes labels are. */
export const channelNamePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A cluster's Kubernetes version, in the form that EKS reports. */
export const kubernetesVersionPattern = /^1\.\d{1,3}$/;

/** The revision of a URL without one. */
export const DEFAULT_REVISION = "default";
