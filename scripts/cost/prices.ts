// What AWS charges: published list prices in US dollars, us-east-1, before tax, discounts and free tiers. Looked up in
// November 2026; they are assumptions, and https://aws.amazon.com/pricing has the truth.

export const LOOKED_UP = "November 2026";

export const PRICES = {
  /** Lambda on arm64. Requests are each; durations are GB-seconds, INIT included. */
  lambdaRequest: 0.2 / 1e6,
  lambdaSecond: 0.0000133334,
  /** Keeping a container warm, and running in it, per GB-second. */
  provisionedSecond: 0.0000033334,
  provisionedRunSecond: 0.0000077778,
  /** A call of up to 512 KB. */
  httpCall: 1 / 1e6,
  restCall: 3.5 / 1e6,
  /** A GB out of API Gateway to public addresses. */
  dataOut: 0.09,
  /** An interface endpoint's hour in one zone, and a GB through it. */
  endpointHour: 0.01,
  endpointData: 0.01,
  /** CloudWatch: a GB of log taken in; a metric, an alarm on one metric and a dashboard for a month. */
  logs: 0.5,
  metric: 0.3,
  alarm: 0.1,
  dashboard: 3,
  /** Parameter Store: one parameter read or written, only with higher throughput; an advanced parameter for a month. */
  interaction: 0.05 / 1e4,
  advancedParameter: 0.05,
  /** For comparison: the control plane of one EKS cluster, for an hour. */
  eksHour: 0.1,
};

export const HOURS = 730;
export const GB = 1024 ** 3;
