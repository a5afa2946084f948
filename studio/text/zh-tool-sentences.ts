// The tool's sentences in Chinese. A form that the tool no longer writes fails the test.

export const chineseToolSentences = {
  // Examples.
  "Adds the Amazon CloudWatch agent to each pod, for pods on EKS Fargate or teams with an agent of their own. The application sends StatsD and embedded metrics to localhost.":
    "为每个 Pod 添加 Amazon CloudWatch 代理，适用于 EKS Fargate 上的 Pod，或自行维护代理的团队。应用把 StatsD 和嵌入式指标发送到 localhost。",
  "Adds the Prometheus operator's config reloader to the pods that ask for it. It watches a volume of the pod, and calls the application when a ConfigMap or Secret in it has changed.":
    "为提出要求的 Pod 添加 Prometheus Operator 的配置重载器。它监视 Pod 的一个卷，其中的 ConfigMap 或 Secret 发生变化时调用应用。",
  "Adds the Datadog agent to pods on EKS Fargate, where no DaemonSet runs. The application sends traces and metrics to localhost.":
    "为 EKS Fargate 上的 Pod 添加 Datadog 代理，因为那里不运行 DaemonSet。应用把追踪和指标发送到 localhost。",
  'Adds Envoy with a configuration of your own to the pods with the label envoy: "yes", without a mesh: for example, to call a service with retries and a time limit.':
    '为带有标签 envoy: "yes" 的 Pod 添加使用自定义配置的 Envoy，无需网格：例如以重试和超时调用某个服务。',
  "A Deployment whose only container is Istio's proxy. The pod says image: auto and gets the rest from the template gateway.":
    "唯一容器是 Istio 代理的 Deployment。Pod 写 image: auto，其余内容来自模板 gateway。",
  "Istio's proxy in every pod of the namespaces that call the webhook, with the settings that teams change first.":
    "在调用 Webhook 的命名空间的每个 Pod 中加入 Istio 代理，并列出团队最常修改的设置。",
  "Adds Fluent Bit to each pod. It sends the log files that the application writes to a shared volume to CloudWatch Logs.":
    "为每个 Pod 添加 Fluent Bit。它把应用写到共享卷中的日志文件发送到 CloudWatch Logs。",
  "Adds an OpenTelemetry collector to each pod. The application sends OTLP to localhost; the collector adds the attributes of the pod and forwards traces, metrics and logs to a gateway.":
    "为每个 Pod 添加 OpenTelemetry 收集器。应用把 OTLP 发送到 localhost；收集器补充 Pod 的属性，并把追踪、指标和日志转发到网关。",
  "Adds PgBouncer, a pooling proxy for PostgreSQL, to the pods with the label database-proxy: pgbouncer. The application connects to localhost, and many of its connections share a few of the database's.":
    "为带有标签 database-proxy: pgbouncer 的 Pod 添加 PgBouncer，即 PostgreSQL 的连接池代理。应用连接到 localhost，它的许多连接共用少量数据库连接。",
  "Istio with SPIRE": "Istio 与 SPIRE",
  "Adds Istio's proxy, which gets its identity from SPIRE through the SPIFFE CSI driver.":
    "添加 Istio 代理，它通过 SPIFFE CSI 驱动从 SPIRE 获取身份。",
  "Adds HashiCorp Vault's agent to the pods that ask for it. It writes secrets as files below /vault/secrets: an init container before the application starts, a sidecar from then on.":
    "为提出要求的 Pod 添加 HashiCorp Vault 代理。它把密钥写成 /vault/secrets 下的文件：应用启动前由初始化容器写入，之后由 sidecar 写入。",
  // What a share does, next to the channel's own release.
  "its release could not inject {pods} that the channel's own could":
    "该发布版本未能注入 {pods}，而通道自己的发布版本可以",
  "{count} pod": "{count} 个 Pod",
  "{count} pods": "{count} 个 Pod",
  "{sentence}: see the log": "{sentence}：请查看日志",
  "its release had {calls} of the {few} calls that it takes to judge it":
    "判断该发布版本需要 {few} 次调用，目前有 {calls} 次",
  "none of {calls} pods was worse off": "{calls} 个 Pod 中没有变差的",
  "times can be compared in {count} periods only": "只有 {count} 个时段可以比较耗时",
  "in {alone} periods its calls alone were late, in {other} those of the channel's own release alone":
    "有 {alone} 个时段只有它的调用超时，有 {other} 个时段只有通道自己的发布版本超时",
  "{bad} of its {calls} calls {outcome}, of the other release {others} of {all}":
    "它的 {calls} 次调用中有 {bad} 次{outcome}，另一个发布版本的 {all} 次中有 {others} 次",
  failed: "失败",
  "were denied": "被拒绝",
  "alarm {name} is up": "告警 {name} 已触发",
  "alarm {name} has no data": "告警 {name} 没有数据",
  "there is no alarm {name}": "没有告警 {name}",
  "its alarms cannot be read": "无法读取它的告警",
  "what its release does cannot be counted": "无法统计它的发布版本",
  "the next share is begun by a person": "下一个比例由人工开始",
  "outrigger promote --restart restarts its workloads and judges their pods":
    "由 outrigger promote --restart 重启它的工作负载并判断其 Pod",
  "it bakes for {time} more": "还要观察 {time}",
  "the channel is pinned": "通道已固定",
  // What a channel that follows another one waits for.
  "there is no channel {channel}, or its record cannot be read": "没有通道 {channel}，或无法读取它的记录",
  "{channel} is pinned to {release}": "{channel} 固定在 {release}",
  "it is pinned to {release}": "它固定在 {release}",
  "it serves {release} to {percent} % of its workloads, and not to all": "它只为 {percent} % 的工作负载提供 {release}",
  "{channel} serves {release} to {percent} % of its workloads, and not to all":
    "{channel} 只为 {percent} % 的工作负载提供 {release}",
  "it serves what {channel} serves": "它提供的就是 {channel} 提供的",
  "since when {channel} serves {release} cannot be read": "无法读取 {channel} 从何时起提供 {release}",
  "{channel} serves {release} for {time} more": "{release} 还要在 {channel} 观察 {time}",
  "it has taken {release} back: outrigger promote {channel} serves it all the same":
    "它撤回过 {release}：outrigger promote {channel} 仍可提供它",
  "another person has to approve {release}": "{release} 需要另一人批准",
  "what {release} does cannot be counted": "无法统计 {release}",
  "{release} is worse in {channel}: {why}": "{release} 在 {channel} 中变差：{why}",
  "{release} was injected into {count} of the {pods} pods that it takes to judge it":
    "判断 {release} 需要 {pods} 个 Pod，目前注入了 {count} 个",
  "{channel} has served it for {time}, to {pods} pods": "{channel} 已提供 {time}，共 {pods} 个 Pod",
  "{channel} has served it for {time}": "{channel} 已提供 {time}",
  // What a move comes to.
  "{channel} would serve {release} to all workloads, and can still go back to {other} by itself":
    "{channel} 将为所有工作负载提供 {release}，并仍可自行退回 {other}",
  "{channel} would serve {release} to all workloads; {other} is taken back from {percent} %":
    "{channel} 将为所有工作负载提供 {release}；从 {percent} % 的工作负载撤回 {other}",
  "{channel} would serve {release} to {percent} % of the workloads, and {other} to the others":
    "{channel} 将为 {percent} % 的工作负载提供 {release}，为其余的提供 {other}",
  "{channel} serves {release} to all workloads, and can still go back to {other} by itself":
    "{channel} 为所有工作负载提供 {release}，并仍可自行退回 {other}",
  "{channel} serves {release} to all workloads; {other} is taken back from {percent} %":
    "{channel} 为所有工作负载提供 {release}；已从 {percent} % 的工作负载撤回 {other}",
  "{channel} serves {release} to {percent} % of the workloads, and {other} to the others":
    "{channel} 为 {percent} % 的工作负载提供 {release}，为其余的提供 {other}",
  "{channel} would serve {release} ({other})": "{channel} 将提供 {release}（{other}）",
  "{channel} serves {release} now ({other})": "{channel} 现在提供 {release}（{other}）",
  "a new channel": "新通道",
  "{release} before": "之前是 {release}",
  "{sentence} (to go back further, run {command} again)": "{sentence}（要继续回退，请再次运行 {command}）",
  "No cluster is served from {channel}, so no pod gets it: serve one with {command}, or promote it":
    "没有集群由 {channel} 提供，因此没有 Pod 会得到它：用 {command} 让一个集群使用它，或推广它",
  "{sentence}; what changes for pods: {names}": "{sentence}；Pod 的变化：{names}",
  "{sentence}; taken back if an alarm is up: {alarms}": "{sentence}；告警触发时撤回：{alarms}",
  "{sentence}; {shares} when the pods before have been good for {time}":
    "{sentence}；此前的 Pod 正常 {time} 后为 {shares}",
  "{sentence}; {shares} every {time}": "{sentence}；每 {time} 依次为 {shares}",
  "{sentence}, not pinned any more": "{sentence}，不再固定",
  "{sentence}, pinned": "{sentence}，并固定",
  "{sentence}, as before": "{sentence}，与之前相同",
  // What an edit does to pods.
  nothing: "0",
  "{left} left of {count} entries": "{count} 个条目只剩 {left} 个",
  "which ones are served is not recorded": "没有记录所提供的是哪些",
  "those of another version of Outrigger": "来自另一个版本的 Outrigger",
  "What changes for pods is not known: {why}": "不知道 Pod 会有什么变化：{why}",
  // Findings.
  "this is Go template syntax: {way}": "这是 Go 模板语法：{way}",
  "{what}, as {sample} shows": "{what}（见 {sample}）",
  "helper {name} is not known": "没有辅助函数 {name}",
  "partial {name} does not exist": "没有子模板 {name}",
  "{name} is not in the template data": "模板数据中没有 {name}",
  "Cannot render template {name}: {why}": "无法渲染模板 {name}：{why}",
  "Cannot use {name}: {why}": "无法使用 {name}：{why}",
  "it does not render valid YAML: {why}": "渲染结果不是有效的 YAML：{why}",
  "{field} is not a field of a Pod": "{field} 不是 Pod 的字段",
  "{field} is required": "缺少 {field}",
  "{field} must be between {least} and {most}": "{field} 必须在 {least} 到 {most} 之间",
  "{field} must be one of {values}": "{field} 必须是 {values} 之一",
  "{field} must not be more than its limit": "{field} 不能大于它的上限",
  "{field} must be a string": "{field} 必须是字符串",
  "{sentence}: put it in quotes, or write {way}": "{sentence}：加上引号，或写 {way}",
  "the quote that opens here is not closed": "这里的引号没有结束",
  "the quote that opens here is not closed in the tag": "标签中的引号没有结束",
  "{name} is not known: no template reads it": "没有参数 {name}：没有模板读取它",
  "it has {bytes} bytes, and a parameter holds {largest}": "它有 {bytes} 字节，而一个参数最多 {largest} 字节",
  "split it in two": "请拆成两个",
  "shorten it": "请缩短",
  "{sentence}, did you mean {meant}": "{sentence}，是否应为 {meant}",
  "{container} from {registry}": "{container} 来自 {registry}",
  "{one}; {other}": "{one}；{other}",
} as const;
