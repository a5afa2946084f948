// Runs the webhook as an API server does: its own mutating webhook plugin, its own types, defaulting and conversion.
//
// The server under test and the cases come from run.ts, by environment:
//
//	WEBHOOK_URL  https://localhost:PORT, where the bundled function answers: /case/<index>/<path of the call>
//	WEBHOOK_CA   the file of the server's certificate
//	OBJECTS      the configuration that `outrigger print webhook --json` prints
//	CASES        a file with one JSON case a line
//	RESULTS      the file that the pods are written to, one JSON line a case
package apiserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	fakeclient "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

// A testCase is a pod and the reference's decision about it.
type testCase struct {
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Path      string          `json:"path"`
	Pod       json.RawMessage `json:"pod"`
	Allowed   bool            `json:"allowed"`
	Injected  bool            `json:"injected"`
}

func readCases(t testing.TB) []testCase {
	t.Helper()
	file, err := os.Open(os.Getenv("CASES"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	var cases []testCase
	for lines.Scan() {
		var one testCase
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, one)
	}
	if lines.Err() != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", lines.Err())
	}
	return cases
}

// configuration is what the builder makes, with every URL replaced and the given failure policy.
func configuration(t testing.TB, url string, policy admissionregistration.FailurePolicyType) *admissionregistration.MutatingWebhookConfiguration {
	t.Helper()
	text, err := os.ReadFile(os.Getenv("OBJECTS"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		configuration := &admissionregistration.MutatingWebhookConfiguration{}
		if json.Unmarshal(item, configuration) != nil || configuration.Kind != "MutatingWebhookConfiguration" {
			continue
		}
		for index := range configuration.Webhooks {
			hook := &configuration.Webhooks[index]
			if hook.ClientConfig.URL == nil || len(hook.ClientConfig.CABundle) > 0 {
				t.Fatalf("%s: a URL and no CA bundle expected", hook.Name)
			}
			hook.ClientConfig.URL = &url
			hook.FailurePolicy = &policy
		}
		return configuration
	}
	t.Fatal("no MutatingWebhookConfiguration")
	return nil
}

// newPlugin is the API server's plugin with that configuration, and namespaces that ask for injection.
func newPlugin(t testing.TB, configuration *admissionregistration.MutatingWebhookConfiguration, namespaces ...string) *mutating.Plugin {
	t.Helper()
	objects := []runtime.Object{configuration}
	for _, name := range namespaces {
		labels := map[string]string{"istio-injection": "enabled", v1.LabelMetadataName: name}
		objects = append(objects, &v1.Namespace{ObjectMeta: meta.ObjectMeta{Name: name, Labels: labels}})
	}
	plugin, err := mutating.NewMutatingWebhook(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := fakeclient.NewSimpleClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	certificate, err := os.ReadFile(os.Getenv("WEBHOOK_CA"))
	if err != nil {
		t.Fatal(err)
	}
	plugin.SetAuthenticationInfoResolverWrapper(func(webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
		return trusting{certificate}
	})
	plugin.SetServiceResolver(webhook.NewDefaultServiceResolver())
	plugin.SetExternalKubeClientSet(client)
	plugin.SetExternalKubeInformerFactory(factory)
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	if err := plugin.ValidateInitialization(); err != nil {
		t.Fatal(err)
	}
	return plugin
}

// trusting calls as the API server does, with the test's certificate among its roots. API Gateway speaks HTTP/1.1.
type trusting struct{ certificate []byte }

func (r trusting) config() (*rest.Config, error) {
	return &rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: r.certificate, NextProtos: []string{"http/1.1"}}}, nil
}
func (r trusting) ClientConfigFor(string) (*rest.Config, error) { return r.config() }
func (r trusting) ClientConfigForService(string, string, int) (*rest.Config, error) {
	return r.config()
}

// An answer is the pod after admission, and what the API server noted on the way.
type answer struct {
	pod         runtime.Object
	err         error
	annotations map[string]string
	warnings    []string
}

// mutated reports whether any webhook's patch changed the pod, by the API server's own audit annotations.
func (a answer) mutated() bool {
	for key, value := range a.annotations {
		if strings.HasPrefix(key, "mutation.webhook.admission.k8s.io/") && strings.Contains(value, `"mutated":true`) {
			return true
		}
	}
	return false
}

// note finds an audit annotation of the webhook's own.
func (a answer) note(name string) string {
	for key, value := range a.annotations {
		if strings.HasSuffix(key, "/"+name) {
			return value
		}
	}
	return ""
}

var objects = admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)

// decode reads a pod as the API server reads a request: converted to the internal type and defaulted.
func decode(t testing.TB, text []byte) runtime.Object {
	t.Helper()
	pod, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), withKind(text))
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

func withKind(text []byte) []byte {
	var pod map[string]json.RawMessage
	if json.Unmarshal(text, &pod) != nil || pod["kind"] != nil {
		return text
	}
	pod["kind"], pod["apiVersion"] = json.RawMessage(`"Pod"`), json.RawMessage(`"v1"`)
	whole, _ := json.Marshal(pod)
	return whole
}

// encode writes a pod as the API server stores and sends it: quantities canonical, zero values left out.
func encode(t testing.TB, pod runtime.Object) json.RawMessage {
	t.Helper()
	text, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(v1.SchemeGroupVersion), pod)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// admit sends a copy of the pod through the plugin.
func admit(plugin *mutating.Plugin, pod runtime.Object, namespace string) answer {
	ctx := audit.WithAuditContext(context.Background())
	audit.AuditContextFrom(ctx).Init(audit.RequestAuditConfig{Level: auditinternal.LevelRequest}, nil)
	recorder := &warnings{}
	ctx = withWarnings(ctx, recorder)
	copied := pod.DeepCopyObject()
	attributes := admission.NewAttributesRecord(
		copied, nil,
		schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, namespace, "",
		schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "",
		admission.Create, &meta.CreateOptions{}, false,
		&user.DefaultInfo{Name: "system:serviceaccount:kube-system:replicaset-controller"},
	)
	err := admission.WithAudit(plugin).(admission.MutationInterface).Admit(ctx, attributes, objects)
	annotations := audit.AuditContextFrom(ctx).GetEventAnnotations()
	return answer{pod: attributes.GetObject(), err: err, annotations: annotations, warnings: recorder.texts}
}

func caseURL(index int, path string) string {
	if path == "" {
		path = "/inject"
	}
	return fmt.Sprintf("%s/case/%d%s", os.Getenv("WEBHOOK_URL"), index, path)
}
