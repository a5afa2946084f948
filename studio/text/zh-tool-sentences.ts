// The tool's sentences in Chinese. A form that the tool no longer writes fails the test.

export const chineseToolSentences = {
  // Each by itself, where both have words.
  "{one}. {other}": "{one}。{other}",
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
  "{channel} serves {release}": "{channel} 提供 {release}",
  "a new channel": "新通道",
  "{sentence}, as before": "{sentence}，与之前相同",
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
  // What an edit does to pods.
  nothing: "0",
  "{left} left of {count} entries": "{count} 个条目只剩 {left} 个",
  "which ones are served is not recorded": "没有记录所提供的是哪些",
  "those of another version of Outrigger": "来自另一个版本的 Outrigger",
  "What changes for pods is not known: {why}": "不知道 Pod 会有什么变化：{why}",
  // Findings: what cannot be used, and where.
  "Cannot read {name} as YAML: {why}": "无法把 {name} 读作 YAML：{why}",
  "Cannot read {name} as MeshConfig: {why}": "无法把 {name} 读作 MeshConfig：{why}",
  "Cannot store {name}: {why}": "无法保存 {name}：{why}",
  "Cannot read {name} in the source tree: {why}": "无法读取源目录中的 {name}：{why}",
  "Cannot render template {name}: it renders {what} instead of a pod's fields (metadata, spec)":
    "无法渲染模板 {name}：渲染出的是 {what}，而不是 Pod 的字段（metadata、spec）",
  "Cannot use {path}: values must be a mapping": "无法使用 {path}：参数必须是映射",
  "Cannot use config key {key}: it is not known; use {keys} and {last}":
    "无法使用配置项 {key}：没有这一项；请用 {keys} 和 {last}",
  "Cannot use config key {key}: it is not known; use {keys}": "无法使用配置项 {key}：没有这一项；请用 {keys}",
  "Cannot use config key {key}: there is no template {name}": "无法使用配置项 {key}：没有模板 {name}",
  "Cannot use config key {key}: it must {rule}": "无法使用配置项 {key}：它必须{rule}",
  "Cannot use the label selector at {place}: {why}": "无法使用 {place} 的标签选择器：{why}",
  "Cannot use config key {key}: it must be {what}": "无法使用配置项 {key}：它必须是 {what}",
  "Cannot use config key {key}: it {problem}": "无法使用配置项 {key}：它{problem}",
  "Cannot use alias {name}: there is no template {template}": "无法使用别名 {name}：没有模板 {template}",
  "Cannot use the config: it must be a mapping": "无法使用配置：它必须是映射",
  "Cannot use {path}: a sample is a Pod, with {kind}": "无法使用 {path}：示例是 Pod，要有 {kind}",
  "Cannot find a pod in {source}: give it a Pod, or a workload that has one":
    "{source} 中没有 Pod：请给出 Pod，或含有 Pod 的工作负载",
  "Cannot inject template {name} named in {place}: use one of {templates}":
    "无法注入 {place} 指定的模板 {name}：请用 {templates} 之一",
  "Cannot use {name}: it must be {what}": "无法使用 {name}：它必须是 {what}",
  "Cannot render template {name}: {why}": "无法渲染模板 {name}：{why}",
  "Cannot use {value} in {template}: {why}": "无法使用 {template} 中的 {value}：{why}",
  "Cannot use {name}: {why}": "无法使用 {name}：{why}",
  // Findings: what is not YAML, and what Parameter Store does not keep.
  "two closing braces end no tag, as in a flow map. {way}": "两个右花括号没有结束任何标签，例如在流式映射中。{way}",
  "there are three or more braces in a row. {way}": "连续有三个或更多花括号。{way}",
  "Parameter Store takes no two braces in a row and tags are kept as {open} and {close}; put a space between {where}":
    "Parameter Store 不接受连续两个花括号，标签保存为 {open} 和 {close}；请用空格隔开{where}",
  "the two": "两者",
  "a tag's braces and others": "标签的花括号与其他花括号",
  "it means nothing here; a source tree holds {known}": "它在这里没有意义；源目录包含 {known}",
  "use a name of letters, digits, dots, underscores and dashes": "名称请只用字母、数字、点、下划线和短横线",
  "{sentence} (line {line}, column {column})": "{sentence}（第 {line} 行第 {column} 列）",
  "a key is given twice in its mapping, in a branch that no sample takes; leave one of them out":
    "在没有示例经过的分支中，同一映射有重复的键；请删去一个",
  "a key is given twice in its mapping": "同一映射中有重复的键",
  "{sentence}: the last one counts": "{sentence}：以最后一个为准",
  "a tab is used as indentation: use spaces": "缩进使用了制表符：请用空格",
  "a value cannot start with {character}: put it in quotes": "值不能以 {character} 开头：请加引号",
  "a key is expected here, and has no colon": "此处应为键，但缺少冒号",
  "a key is expected here: check the indentation": "此处应为键：请检查缩进",
  "a value is expected here": "此处应为值",
  "a list item is expected here: it starts with a dash": "此处应为列表项：以短横线开头",
  "a comma or {closing} is expected here": "此处应为逗号或 {closing}",
  "the bracket that opens here is not closed": "这里的括号没有结束",
  "text follows the quote that closes here: write a quote inside a text twice, or use the other kind":
    "结束引号之后还有文本：文本中的引号请写两次，或改用另一种引号",
  "a colon makes a second key of this line: put the value in quotes": "冒号使这一行有了第二个键：请给值加引号",
  "a list item cannot begin here: it needs a line of its own": "列表项不能从这里开始：它需要单独一行",
  "a key cannot begin here: it needs a line of its own": "键不能从这里开始：它需要单独一行",
  "this alias has no anchor before it": "这个别名之前没有对应的锚点",
  "more than one document where one is expected": "此处只应有一个文档",
  "there is no such escape sequence in double quotes": "双引号中没有这种转义序列",
  "control characters are not allowed: write an escape": "不允许控制字符：请写成转义",
  "a key must be text, a number or a boolean": "键必须是文本、数字或布尔值",
  "what follows is not read: separate documents with ---": "后面的内容不会读取：请用 --- 分隔文档",
  "it renders more than one YAML document": "渲染出了多个 YAML 文档",
  // Findings: what does not parse as a template.
  "a block is not closed before the end of the template: {block} opened in line {line}":
    "直到模板结束，块也没有关闭：{block} 始于第 {line} 行",
  "a block is not closed before the end of the template": "直到模板结束，块也没有关闭",
  "{block}, opened here, is not closed: {closing} comes first": "这里开始的 {block} 没有关闭：先出现了 {closing}",
  "this closing tag has no block to close: {what}": "这个结束标签没有可关闭的块：{what}",
  "check its name and the tags before it": "请检查它的名称和之前的标签",
  "the tag that opens in line {line} is not closed: }} is missing": "第 {line} 行开始的标签没有结束：缺少 }}",
  "the tag ends with one }: a second is missing": "标签只以一个 } 结束：还缺一个",
  "the tag is empty: write a path or a helper in it": "标签是空的：请在其中写路径或辅助函数",
  "the tag does not parse": "无法解析这个标签",
  "{{else}} is in no block: check the tags before it": "{{else}} 不在任何块中：请检查之前的标签",
  "{what} is not expected here": "此处不应出现 {what}",
  "a closing tag": "结束标签",
  "a text in quotes": "带引号的文本",
  "a comment or raw block is not closed": "注释或原样块没有结束",
  "raw output is not supported and not needed, nothing is HTML-escaped: write {{…}} with two braces, and a space between a flow map's brace and the tag":
    "不支持也不需要原样输出，因为没有 HTML 转义：请用两个花括号写 {{…}}，流式映射的花括号与标签之间留一个空格",
  "{name} is not a block: use #if, #unless, #each, #with or #let, with the helper in parentheses: {way}":
    "{name} 不是块：请用 #if、#unless、#each、#with 或 #let，辅助函数放在括号里：{way}",
  "{block} needs an argument: write {way}": "{block} 需要参数：请写 {way}",
  "{block} takes exactly one argument, not {count}: {way}": "{block} 只接受一个参数，而不是 {count} 个：{way}",
  "put a helper call in parentheses": "请把辅助函数的调用放在括号里",
  "#let takes as many values as names: {way}": "#let 的值与名称数量必须相同：{way}",
  "a partial must be called by its name, not by an expression: choose with {way}":
    "子模板只能按名称调用，不能用表达式：请用 {way} 选择",
  "only a helper takes arguments, this is a path": "只有辅助函数接受参数，而这是路径",
  "only a helper call can be in parentheses": "括号里只能是辅助函数的调用",
  "there are no operators: write {way}": "没有运算符：请写 {way}",
  "this is Jinja and text here: write {one} or {other}": "这是 Jinja，在这里只是文本：请写 {one} 或 {other}",
  "this is text and no tag: write {way}": "这是文本而不是标签：请写 {way}",
  "write the helper before its argument: {way}, not a pipe": "请把辅助函数写在参数之前：{way}，而不是用管道",
  "helper {name} takes {wanted}, not {count}": "辅助函数 {name} 需要 {wanted}，而不是 {count} 个",
  "{sentence}; for the field of that name write {way}": "{sentence}；同名字段请写 {way}",
  "at least {count} arguments": "至少 {count} 个参数",
  "{count} arguments": "{count} 个参数",
  "{name} leads out of the {what}": "{name} 超出了范围：{what}",
  template: "模板",
  "partial: pass the value as an argument": "子模板；请把值作为参数传入",
  "write {way} for a partial; its file is {file}": "子模板请写 {way}；它的文件是 {file}",
  "write {way} for a variable": "变量请写 {way}",
  "{name} is known to Helm only: put what you need into the values, and write {way}":
    "只有 Helm 认识 {name}：请把需要的内容放入参数，再写 {way}",
  "{name} is not needed: {why}": "不需要 {name}：{why}",
  "an object or list is inserted whole, write key: {way}": "对象或列表会整体插入，请写 key: {way}",
  "templates cannot read the environment, put the setting into the values": "模板不能读取环境变量，请把设置放入参数",
  "templates are not evaluated at run time, use a partial": "模板不在运行时求值，请用子模板",
  "{name} puts quotes into the value: {{x}} keeps text as text, write {way} to force it":
    "{name} 会把引号放进值里：{{x}} 会保持文本，强制时请写 {way}",
  "{name} is not known: use @root, @key, @index, @first or @last":
    "没有 {name}：请用 @root、@key、@index、@first 或 @last",
  "{name} is not in the values": "参数中没有 {name}",
  "{name} always fails here: {why}": "{name} 在这里总会失败：{why}",
  '{sentence}; "outrigger print helpers" lists those that are':
    "{sentence}；outrigger print helpers 会列出所有辅助函数",
  "{name} is empty for every sample: {way}": "{name} 对每个示例都为空：{way}",
  "fix the path, or add a sample that has the field": "请更正路径，或添加含有该字段的示例",
  // Findings: what pods would come to.
  "the sample itself is a pod that an API server rejects: {why}": "示例本身就是 API 服务器会拒绝的 Pod：{why}",
  "an API server rejects the injected pod: {why}": "API 服务器会拒绝注入后的 Pod：{why}",
  "the injected pod cannot start: {why}": "注入后的 Pod 无法启动：{why}",
  "no sample fits this match, so no test shows who gets {template}: correct it, or add a sample of such a pod":
    "没有示例符合这个条件，因此没有测试能说明谁会得到 {template}：请更正，或添加这样的 Pod 示例",
  "no pod gets template {template}: name it in defaultTemplates, or add a sample that asks for it with {annotation}":
    "没有 Pod 得到模板 {template}：请在 defaultTemplates 中写上它，或添加用 {annotation} 请求它的示例",
  "no default template adds {container}, so pods lose Istio's proxy: add - sidecar, or write mesh: none where there is no mesh":
    "没有默认模板添加 {container}，Pod 会失去 Istio 代理：请加上 - sidecar；没有网格时请写 mesh: none",
  "{key} has no effect: config.yaml says mesh: none, and no template reads it":
    "{key} 不起作用：config.yaml 写了 mesh: none，也没有模板读取它",
  "the image of container {name} has no tag, so a node pulls what is latest then: write a tag or a digest":
    "容器 {name} 的镜像没有标签，节点会拉取当时的 latest：请写标签或摘要",
  "restartPolicy: Always makes a native sidecar of an init container only: move {name} to initContainers, or leave it out":
    "restartPolicy: Always 只能使初始化容器成为原生 sidecar：请把 {name} 移到 initContainers，或删去它",
  "port {number} of container {name} is {whose}: the containers of a pod share their ports, so the second one cannot listen":
    "容器 {name} 的端口 {number} 已属于 {whose}：同一 Pod 的容器共用端口，后一个无法监听",
  "{probe} of container {name} is on port {port}, which its ports do not have ({listed}): add it, or correct the probe":
    "容器 {name} 的 {probe} 使用端口 {port}，而它的端口中没有（{listed}）：请添加端口，或更正探针",
  "no pod for Windows is injected, so this keeps the pods that are from every node: leave it out":
    "Windows 的 Pod 不会注入，因此这会使其余 Pod 无处可调度：请删去",
  "container {name} is of template {other} too: a pod that gets both has one, with this image; give them different names":
    "容器 {name} 也在模板 {other} 中：同时得到两者的 Pod 只会有一个，并使用这个镜像；请使用不同的名称",
  "{key} must be {own} or absent: a template is a part of a Pod": "{key} 必须是 {own} 或省略：模板是 Pod 的一部分",
  "{sentence}: it belongs into {place}": "{sentence}：它应放在 {place} 中",
  '{sentence}; "kubectl explain {field}" lists the known fields': "{sentence}；kubectl explain {field} 会列出已知字段",
  "{sentence}: write it without quotes, or {way}": "{sentence}：请不加引号，或写 {way}",
  "{field} is null, which would delete the {what}s of the pod's author: delete one {one} with {way} next to its name":
    "{field} 是 null，会删除 Pod 作者的 {what}：请在名称旁用 {way} 删除单个 {one}",
  "{field} needs {key}, which identifies items": "{field} 需要 {key}，列表项靠它识别",
  "{field} is empty: {way}": "{field} 是空的：{way}",
  "put {key} inside the #if or #each below it": "请把 {key} 放进它下面的 #if 或 #each 中",
  "remove the item": "请删去这一项",
  "A pod whose author wrote {field} gets this value instead, {sentence}: write it behind {condition}":
    "作者写了 {field} 的 Pod 会改用这个值，{sentence}：请写在 {condition} 之后",
  "Every pod comes with {field}: this value takes their place, {sentence}; leave the field to the pod":
    "每个 Pod 都带有 {field}：这个值会取代它们，{sentence}；请把该字段留给 Pod",
  "and guardrails from baseline up refuse to inject it": "baseline 及以上的防护规则会拒绝注入",
  "{field} needs spec.priority with the value of the class: the pod has another priority since before it is injected":
    "{field} 需要与该类的值相同的 spec.priority：Pod 在注入之前就有另一个优先级",
  "{field} must name a volume of the pod, not {name}": "{field} 必须是 Pod 的卷的名称，而不是 {name}",
  "{field} must be the name of an image, like {example}: {image} cannot be pulled":
    "{field} 必须是镜像的名称，如 {example}：无法拉取 {image}",
  '{field} must be a DNS label: at most 63 lowercase letters, digits and "-", with a letter or digit at both ends':
    '{field} 必须是 DNS 标签：最多 63 个小写字母、数字和 "-"，首尾为字母或数字',
  '{field} must be a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after an optional DNS name and "/"':
    '{field} 必须是最多 63 个字母、数字、"-"、"_" 和 "." 的名称，首尾为字母或数字，之前可有 DNS 名称和 "/"',
  '{field} must be at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends':
    '{field} 最多 63 个字母、数字、"-"、"_" 和 "."，首尾为字母或数字',
  "a label key's name": "标签键的名称",
  "{field} its key": "{field} 的键",
  "{field} must be cpu, memory, ephemeral-storage, hugepages-SIZE or a name with a domain, like {example}":
    "{field} 必须是 cpu、memory、ephemeral-storage、hugepages-SIZE，或带域名的名称，如 {example}",
  "{field} must be a quantity like {values} or {last}": "{field} 必须是数量，如 {values} 或 {last}",
  "{field} must be an integer": "{field} 必须是整数",
  "{field} must be a list": "{field} 必须是列表",
  "{field} must be true or false, without quotes": "{field} 必须是 true 或 false，不加引号",
  "{field} must be true or false": "{field} 必须是 true 或 false",
  "{field} must be a whole number": "{field} 必须是整数",
  "{field} must be text": "{field} 必须是文本",
  "{field} must have at least one container": "{field} 至少要有一个容器",
  // Findings: settings and values.
  "{name} cannot be {value}: use {values} or {last}": "{name} 不能是 {value}：请用 {values} 或 {last}",
  "{name} cannot be {value}: use {use}": "{name} 不能是 {value}：请用 {use}",
  "{name} has an item that {problem}": "{name} 中有一项 {problem}",
  "cannot be {value}: use {use}": "不能是 {value}：请用 {use}",
  "a duration of whole milliseconds from 1ms, like 10s": "以整毫秒计、不短于 1ms 的时长，如 10s",
  "a duration with its unit, like {example}": "带单位的时长，如 {example}",
  "a host and a port from 1 to {most}, like {example}": "主机和 1 到 {most} 的端口，如 {example}",
  "a port from {least} to {most}": "{least} 到 {most} 的端口",
  "ports from 0 to {most} joined by commas, like {example}": "以逗号连接的 0 到 {most} 的端口，如 {example}",
  "IP ranges joined by commas without spaces, like {example}": "以逗号连接、没有空格的 IP 范围，如 {example}",
  "levels of the agent's scopes joined by commas, like {example}, each of {levels}":
    "以逗号连接的代理各范围的级别，如 {example}，每个是 {levels}",
  "a registry and path in lower case like {example}, without tag": "小写的镜像仓库和路径，如 {example}，不带标签",
  "an image tag of letters, digits, dots, underscores and dashes": "由字母、数字、点、下划线和短横线组成的镜像标签",
  "a quantity, like {example}": "数量，如 {example}",
  "the name of a Secret, like {example}": "Secret 的名称，如 {example}",
  "the name of an image, without tag, or a whole reference like {example}":
    "不带标签的镜像名称，或完整的引用，如 {example}",
  "every injected image needs it": "每个注入的镜像都需要它",
  "{name} is {port}, and defaultConfig.statusPort in mesh is {other}: the agent listens on one, and calls to the other are let through; write the same in both":
    "{name} 是 {port}，而 mesh 中的 defaultConfig.statusPort 是 {other}：代理只监听其中一个，对另一个的调用不被拦截；两处请写同一个",
  "{name} is {port}, which is reserved for Istio ({what}): choose another port":
    "{name} 是 {port}，它保留给 Istio（{what}）：请换一个端口",
  "outbound traffic capture": "拦截出站流量",
  "{name} {value} is not used: trustDomain in mesh is {used}, and wins; write the same in both":
    "{name} {value} 没有使用：以 mesh 中的 trustDomain {used} 为准；两处请写同一个",
  "proxies get their certificates from {ca}, and their configuration from {discovery} (defaultConfig.discoveryAddress in mesh): name the same istiod in both":
    "代理从 {ca} 获取证书，从 {discovery} 获取配置（mesh 中的 defaultConfig.discoveryAddress）：两处请写同一个 istiod",
  "{name} is {own}, and revision in config is {other}: pods would be labelled with one revision, and get their certificates from the istiod of the other; write the same in both":
    "{name} 是 {own}，而 config 中的 revision 是 {other}：Pod 会标有一个修订版，却从另一个的 istiod 获取证书；两处请写同一个",
  "{name} does not match the tree's schema: {why}": "{name} 不符合源目录的 schema：{why}",
  'Config key "policy" is neither "enabled" nor "disabled": no pod is injected':
    '配置项 "policy" 既不是 "enabled" 也不是 "disabled"：不注入任何 Pod',
  "{name} must not be null: {why}": "{name} 不能为 null：{why}",
  "{name} must be {expected}, as in the layer below: it is {type}": "{name} 必须与下层一样是 {expected}，现在是 {type}",
  "{name} is {type}, and the layer below has {expected}: put it in quotes":
    "{name} 是 {type}，而下层是 {expected}：请加引号",
  "{name} is {type}, and the layer below has {expected}: write {type2} without quotes":
    "{name} 是 {type}，而下层是 {expected}：请写 {type2}，不加引号",
  "{name} must be a list: each item is {use}": "{name} 必须是列表：每一项是 {use}",
  "{name} {value} is not of Istio {release}, the release of the config: remove {part}, so that it follows the release":
    "{name} {value} 不属于配置所用的 Istio {release}：请删去 {part}，使它跟随该版本",
  "{sentence}, or set {setting}": "{sentence}，或设置 {setting}",
  "{sentence}; it selects nothing": "{sentence}；它不选择任何 Pod",
  "be a list of names, or of entries with name and match": "是名称的列表，或带 name 和 match 的条目的列表",
  "have podLabels or namespaces; a template for every pod is its name alone":
    "有 podLabels 或 namespaces；给每个 Pod 的模板只写名称",
  "be another namespace: pods of {name} are never injected": "是另一个命名空间：{name} 的 Pod 从不注入",
  "be the name of a namespace: lower-case letters, digits and dashes": "是命名空间的名称：小写字母、数字和短横线",
  "be the name of another entry": "是另一个条目的名称",
  'must be a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after an optional DNS name and "/"':
    '必须是最多 63 个字母、数字、"-"、"_" 和 "." 的名称，首尾为字母或数字，之前可有 DNS 名称和 "/"',
  "text: put the release in quotes, like {way}": "文本：请给版本加引号，如 {way}",
  "one of {values}: Istio {value} is not supported": "{values} 之一：不支持 Istio {value}",
  "a string (put numbers in quotes)": "字符串（数字请加引号）",
  "a list of strings": "字符串的列表",
  "a list of label selectors": "标签选择器的列表",
  "a mapping with annotations, all strings": "带注解的映射，值都是字符串",
  "true or false": "true 或 false",
  "MeshConfig has no field {field}: it has no effect (in mesh)":
    "MeshConfig 没有字段 {field}：它不起作用（在 mesh 中）",
  // Why a pod is not injected, and what its author gave it.
  "{sentence}: did you mean {meant}?": "{sentence}：是否应为 {meant}？",
  "{key} is not read by any template or step": "没有模板或步骤读取 {key}",
  "{container}: runAsUser {user} is the proxy's, so its traffic bypasses it: use another":
    "{container}：runAsUser {user} 属于代理，流量会绕过它：请换一个",
  "container {name}": "容器 {name}",
  "{field} must be text: put {value} in quotes": "{field} 必须是文本：请给 {value} 加引号",
  "label {label} is for namespaces: on the pod, write {way}": "标签 {label} 用于命名空间：在 Pod 上请写 {way}",
  "label {label} has no effect: write {way}, in lower case": "标签 {label} 不起作用：请用小写写 {way}",
  "{container}: port {port} is istio-proxy's: let the application listen on another":
    "{container}：端口 {port} 属于 istio-proxy：请让应用监听另一个端口",
  "{container}: {probe} is on port {port}, which it does not have: add it to ports":
    "{container}：{probe} 使用端口 {port}，而它没有该端口：请加到 ports 中",
  "{container}: white space in its image cannot be pulled: remove it": "{container}：镜像中有空白，无法拉取：请删去",
  // Findings.
  "this is Go template syntax: {way}": "这是 Go 模板语法：{way}",
  "{what}, as {sample} shows": "{what}（见 {sample}）",
  "helper {name} is not known": "没有辅助函数 {name}",
  "partial {name} does not exist": "没有子模板 {name}",
  "{name} is not in the template data": "模板数据中没有 {name}",
  "it does not render valid YAML: {why}": "渲染结果不是有效的 YAML：{why}",
  "{field} is not a field of a Pod": "{field} 不是 Pod 的字段",
  "{field} is required": "缺少 {field}",
  "{field} must be between {least} and {most}": "{field} 必须在 {least} 到 {most} 之间",
  "{field} must be one of {values}, or a list of them": "{field} 必须是 {values} 之一，或它们的列表",
  "{field} must be one of {values}": "{field} 必须是 {values} 之一",
  "{field} must be {values} or {last}": "{field} 必须是 {values} 或 {last}",
  "{field} must not be more than its limit": "{field} 不能大于它的上限",
  "{field} must be a string": "{field} 必须是字符串",
  "{field} must be a mapping of fields": "{field} 必须是字段的映射",
  "The text": "文本",
  "{name} must be a resource: apiVersion, kind, metadata and spec":
    "{name} 必须是资源：apiVersion、kind、metadata 和 spec",
  "{sentence}: put it in quotes, or write {way}": "{sentence}：加上引号，或写 {way}",
  "the quote that opens here is not closed": "这里的引号没有结束",
  "the quote that opens here is not closed in the tag": "标签中的引号没有结束",
  "{name} is not known: no template reads it": "没有参数 {name}：没有模板读取它",
  "it has {bytes} bytes, and a parameter holds {largest}": "它有 {bytes} 字节，而一个参数最多 {largest} 字节",
  "split it in two": "请拆成两个",
  "shorten it": "请缩短",
  "{sentence}, did you mean {meant}": "{sentence}，是否应为 {meant}",
  "{container} from {registry}": "{container} 来自 {registry}",
  "annotation {name}": "注解 {name}",
  "template {name}": "模板 {name}",
  "partial {name}": "子模板 {name}",
  "write {way}": "请写 {way}",
  "{sentence}; use {names}": "{sentence}；请用 {names}",
  "{one}; {other}": "{one}；{other}",
} as const;
