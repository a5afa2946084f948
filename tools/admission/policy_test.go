// The safety net through the API server's own ValidatingAdmissionPolicy plugin: bindings, selectors, conditions and validation
// as the API server evaluates them. NET names a file with the policy, its bindings and its pods for each configuration.
package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	fakeclient "k8s.io/client-go/kubernetes/fake"
)

type netTable struct {
	Name     string
	Policy   admissionregistration.ValidatingAdmissionPolicy
	Bindings []admissionregistration.ValidatingAdmissionPolicyBinding
	Cases    []struct {
		Name       string
		Pod        json.RawMessage
		IsRejected bool
	}
	// One pod of each template, as its author wrote it.
	Templates map[string]json.RawMessage
}

func readNet(t testing.TB) []netTable {
	t.Helper()
	text, err := os.ReadFile(os.Getenv("NET"))
	if err != nil {
		t.Fatal(err)
	}
	var tables []netTable
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	return tables
}

// newPolicyPlugin is the API server's plugin with a policy and its bindings, and a namespace that asks for injection.
func newPolicyPlugin(t testing.TB, table netTable) *validating.Plugin {
	t.Helper()
	labels := map[string]string{"istio-injection": "enabled", v1.LabelMetadataName: "shop"}
	objects := []runtime.Object{&table.Policy, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: labels}}}
	for index := range table.Bindings {
		objects = append(objects, &table.Bindings[index])
	}
	plugin, err := validating.NewPlugin(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := fakeclient.NewSimpleClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{v1.SchemeGroupVersion})
	mapper.Add(v1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	plugin.SetExternalKubeClientSet(client)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetRESTMapper(mapper)
	plugin.SetDynamicClient(fakedynamic.NewSimpleDynamicClient(runtime.NewScheme()))
	plugin.SetDrainedNotification(stop)
	plugin.SetAuthorizer(authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
		return authorizer.DecisionNoOpinion, "", nil
	}))
	if err := plugin.ValidateInitialization(); err != nil {
		t.Fatal(err)
	}
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	if !plugin.WaitForReady() {
		t.Fatal("the plugin is not ready")
	}
	return plugin
}

// validate says why the API server rejects a pod, or nothing.
func validate(plugin *validating.Plugin, pod runtime.Object) error {
	attributes := admission.NewAttributesRecord(
		pod, nil,
		schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "shop", "web",
		schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "",
		admission.Create, &metav1.CreateOptions{}, false,
		&user.DefaultInfo{Name: "system:serviceaccount:kube-system:replicaset-controller"},
	)
	return plugin.Validate(context.Background(), attributes, objects)
}

// TestPolicyTable walks the whole decision table: what is to be injected and was not is rejected, and nothing else.
func TestPolicyTable(t *testing.T) {
	tried, rejected := 0, 0
	for _, table := range readNet(t) {
		t.Run(table.Name, func(t *testing.T) {
			checkConditions(t, table.Policy.Spec.MatchConditions)
			plugin := newPolicyPlugin(t, table)
			for _, one := range table.Cases {
				err := validate(plugin, decode(t, one.Pod))
				tried++
				if err != nil {
					rejected++
				}
				if (err != nil) != one.IsRejected {
					t.Errorf("%s: rejected %v expected, found: %v", one.Name, one.IsRejected, err)
				}
			}
		})
	}
	if tried < 8000 || rejected < 1000 || rejected == tried {
		t.Errorf("%d pods tried, %d rejected: the table is not whole", tried, rejected)
	}
	t.Logf("%d pods, %d rejected", tried, rejected)
}

// TestPolicyAfterWebhook sends a pod of every template through the webhook, up and down, and what comes out through the policy.
func TestPolicyAfterWebhook(t *testing.T) {
	table := readNet(t)[0]
	policy := newPolicyPlugin(t, table)
	for path, isUp := range map[string]bool{"/shipped/inject": true, "/cut/inject": false} {
		configured := configuration(t, os.Getenv("WEBHOOK_URL")+path, admissionregistration.Ignore)
		webhook := newPlugin(t, configured, "shop")
		for template, text := range table.Templates {
			t.Run(fmt.Sprintf("%s/up %v", template, isUp), func(t *testing.T) {
				answered := admit(webhook, decode(t, text), "shop")
				if answered.err != nil || answered.mutated() != isUp {
					t.Fatalf("injected %v expected, found: %v", isUp, answered.err)
				}
				if err := validate(policy, answered.pod); (err == nil) != isUp {
					t.Errorf("admitted %v expected, found: %v", isUp, err)
				}
			})
		}
	}
}
