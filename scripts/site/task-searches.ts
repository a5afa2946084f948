// What people type to find each task, in both languages. The built site is searched for all of them (`npm run site`).

export interface TaskSearches {
  readonly root: readonly string[];
  readonly "zh-CN": readonly string[];
}

/** Page below docs/tasks → searches that find it. */
export const TASK_SEARCHES: Readonly<Record<string, TaskSearches>> = {
  "quick-start": { root: ["quick start", "getting started"], "zh-CN": ["快速开始", "入门"] },
  "change-proxy-image": {
    root: ["change proxy image", "image tag", "private registry"],
    "zh-CN": ["代理镜像", "更换镜像"],
  },
  "proxy-cve": { root: ["proxy cve", "restart pods"], "zh-CN": ["cve", "替换 代理镜像"] },
  "exclude-a-port": { root: ["exclude port", "excludeInboundPorts"], "zh-CN": ["排除端口", "excludeOutboundPorts"] },
  "sidecar-for-a-namespace": {
    root: ["namespace sidecar", "istio-injection label"],
    "zh-CN": ["命名空间", "命名空间 注入"],
  },
  "add-a-sidecar": {
    root: ["log shipper", "vault agent", "opentelemetry collector", "datadog", "spire", "custom sidecar"],
    "zh-CN": ["日志采集", "vault", "opentelemetry", "datadog", "spire", "自定义 sidecar"],
  },
  "why-not-injected": { root: ["pod not injected", "no sidecar"], "zh-CN": ["没有注入", "没有 sidecar"] },
  "canary-release": { root: ["canary", "promote", "roll back"], "zh-CN": ["金丝雀", "回滚", "灰度发布"] },
  "upgrade-istio": { root: ["upgrade istio", "new istio version"], "zh-CN": ["升级 istio", "istio 版本"] },
  "move-from-istio": {
    root: ["move from istio", "migrate istio injector", "take over webhook", "replace webhook"],
    "zh-CN": ["从 istio 迁移", "迁移", "接管", "替换 webhook"],
  },
  "move-from-app-mesh": { root: ["app mesh"], "zh-CN": ["app mesh"] },
  "deploy-and-register": { root: ["deploy", "register cluster"], "zh-CN": ["部署", "注册集群"] },
  "try-on-kind": { root: ["kind", "local cluster"], "zh-CN": ["kind", "本地集群"] },
  install: { root: ["install", "npm install", "shell completion"], "zh-CN": ["安装", "命令补全"] },
  "second-region": { root: ["second region", "multi region"], "zh-CN": ["第二个区域", "多区域"] },
  pipeline: { root: ["github actions", "gitlab", "ci pipeline"], "zh-CN": ["流水线", "github actions", "gitlab"] },
};
