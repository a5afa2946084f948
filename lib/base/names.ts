// The names of clusters, channels and revisions in parameters, URLs, metrics and webhook configurations.

/** The name of a cluster in parameters, URLs and metrics. Matches every name that EKS allows. */
export const clusterNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** The name of a channel or revision. It is named as Kubernetes labels are. */
export const channelNamePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The name of a network, or no name: it becomes the value of a label of every injected pod. */
export const networkPattern = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

/** A description of what {@link networkPattern} matches, for messages. */
export const NETWORK_FORM =
  'at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, as it becomes a label value';

/** A cluster's Kubernetes version, in the form that EKS reports. */
export const kubernetesVersionPattern = /^1\.\d{1,3}$/;

/** The revision that a URL without one is for. */
export const DEFAULT_REVISION = "default";
