// Loads what `outrigger print webhook --json` prints as an API server does: strictly, with its own types, its own selectors and
// its own CEL environment; and asks the compiled conditions about pods. LISTS names a folder with one list a file.
package apiserver

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// load decodes every object of every list with the strict decoder of the API server: an unknown or misspelt field fails.
func load(t *testing.T) map[string][]runtime.Object {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := admissionregistration.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	files, err := filepath.Glob(filepath.Join(os.Getenv("LISTS"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("LISTS has no lists: %v", err)
	}
	found := map[string][]runtime.Object{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Items []json.RawMessage }
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, item := range list.Items {
			object, _, err := decoder.Decode(item, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			found[name] = append(found[name], object)
		}
	}
	return found
}

func conditionCompiler() plugincel.ConditionCompiler {
	return plugincel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
}

func TestWebhooksCompile(t *testing.T) {
	for name, objects := range load(t) {
		for _, object := range objects {
			configuration, ok := object.(*admissionregistration.MutatingWebhookConfiguration)
			if !ok {
				continue
			}
			names := map[string]bool{}
			for i := range configuration.Webhooks {
				hook := &configuration.Webhooks[i]
				t.Run(name+"/"+configuration.Name+"/"+hook.Name, func(t *testing.T) {
					if names[hook.Name] {
						t.Error("two webhooks have this name")
					}
					names[hook.Name] = true
					if errs := validation.IsFullyQualifiedName(nil, hook.Name); len(errs) > 0 {
						t.Errorf("name: %v", errs)
					}
					checkSelectors(t, hook.NamespaceSelector, hook.ObjectSelector)
					checkConditions(t, hook.MatchConditions)
				})
			}
		}
	}
}

func checkSelectors(t *testing.T, selectors ...*meta.LabelSelector) {
	t.Helper()
	for _, selector := range selectors {
		parsed, err := meta.LabelSelectorAsSelector(selector)
		if err != nil {
			t.Error(err)
		}
		if parsed.Matches(labels.Set{"kubernetes.io/metadata.name": "kube-system"}) && selector.MatchExpressions == nil {
			t.Error("the selector chooses everything")
		}
	}
}

func checkConditions(t *testing.T, conditions []admissionregistration.MatchCondition) {
	t.Helper()
	for _, condition := range conditions {
		if errs := validation.IsQualifiedName(condition.Name); len(errs) > 0 {
			t.Errorf("condition %s: %v", condition.Name, errs)
		}
		// As strictly as when it is written, not as leniently as when it is read back.
		result := plugincel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())).
			CompileCELExpression(&matchconditions.MatchCondition{Name: condition.Name, Expression: condition.Expression},
				plugincel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.NewExpressions)
		if result.Error != nil {
			t.Errorf("condition %s: %v", condition.Name, result.Error)
		}
	}
}

// pod is a pod of which only what is given is there.
func pod(fields map[string]any) *unstructured.Unstructured {
	object := map[string]any{"apiVersion": "v1", "kind": "Pod"}
	for key, value := range fields {
		object[key] = value
	}
	return &unstructured.Unstructured{Object: object}
}

func attributes(object *unstructured.Unstructured, dryRun bool) *admission.VersionedAttributes {
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	attr := admission.NewAttributesRecord(object, nil, gvk, "shop", "web", gvr, "", admission.Create, nil, dryRun, nil)
	return &admission.VersionedAttributes{Attributes: attr, VersionedObject: object, VersionedKind: gvk}
}

// compiledMatcher is what the API server makes of a webhook's conditions; it is its own code but for the failure policy:
// under Fail an error shows, under Ignore it would look like no match.
func compiledMatcher(hook admissionregistration.MutatingWebhook) matchconditions.Matcher {
	expressions := make([]plugincel.ExpressionAccessor, len(hook.MatchConditions))
	for i, condition := range hook.MatchConditions {
		expressions[i] = &matchconditions.MatchCondition{Name: condition.Name, Expression: condition.Expression}
	}
	options := plugincel.OptionalVariableDeclarations{HasAuthorizer: true}
	compiled := conditionCompiler().CompileCondition(expressions, options, environment.StoredExpressions)
	fail := admissionregistration.Fail
	return matchconditions.NewMatcher(compiled, &fail, "webhook", "admit", hook.Name)
}

func TestConditionsNeverFail(t *testing.T) {
	metadata := func(key, name, value string) map[string]any {
		return map[string]any{"metadata": map[string]any{key: map[string]any{name: value}}}
	}
	cases := []struct {
		name    string
		object  map[string]any
		matches bool
	}{
		{"nothing at all", map[string]any{}, true},
		{"empty metadata and spec", map[string]any{"metadata": map[string]any{}, "spec": map[string]any{}}, true},
		{"a mirror pod", metadata("annotations", "kubernetes.io/config.mirror", "x"), false},
		{"opted out", metadata("labels", "sidecar.istio.io/inject", "false"), false},
		{"opted in", metadata("labels", "sidecar.istio.io/inject", "true"), true},
		{"a forged status", metadata("annotations", "sidecar.istio.io/status", "{}"), true},
		{"opted out by annotation, for the injector to decide", metadata("annotations", "sidecar.istio.io/inject", "false"), true},
		{"on the host's network", map[string]any{"spec": map[string]any{"hostNetwork": true}}, false},
		{"not on the host's network", map[string]any{"spec": map[string]any{"hostNetwork": false}}, true},
	}
	for name, objects := range load(t) {
		for _, object := range objects {
			configuration, ok := object.(*admissionregistration.MutatingWebhookConfiguration)
			if !ok {
				continue
			}
			isAudit := strings.HasPrefix(name, "audit")
			for i := range configuration.Webhooks {
				hook := configuration.Webhooks[i]
				matcher := compiledMatcher(hook)
				for _, one := range cases {
					for _, dryRun := range []bool{false, true} {
						result := matcher.Match(context.Background(), attributes(pod(one.object), dryRun), nil, nil)
						if result.Error != nil {
							t.Errorf("%s, %s, %s: %v", name, hook.Name, one.name, result.Error)
						}
						if expected := one.matches && (dryRun || !isAudit); result.Matches != expected {
							t.Errorf("%s, %s, %s, dry run %v: matches %v", name, hook.Name, one.name, dryRun, result.Matches)
						}
					}
				}
			}
		}
	}
}

func TestSafetyNet(t *testing.T) {
	sidecar := map[string]any{"name": "istio-proxy"}
	app := map[string]any{"name": "app"}
	spec := func(fields map[string]any) map[string]any { return map[string]any{"spec": fields} }
	injected := func(fields map[string]any) map[string]any {
		status := `{"initContainers":null,"containers":["istio-proxy"],"volumes":null}`
		annotations := map[string]any{"sidecar.istio.io/status": status}
		return map[string]any{"metadata": map[string]any{"annotations": annotations}, "spec": fields}
	}
	cases := []struct {
		name   string
		object map[string]any
		passes bool
	}{
		{"no sidecar", spec(map[string]any{"containers": []any{app}}), false},
		{"no spec", map[string]any{}, false},
		{"the author's own sidecar", spec(map[string]any{"containers": []any{app, sidecar}}), false},
		{"a copied record", injected(map[string]any{"containers": []any{app}}), false},
		{"a sidecar", injected(map[string]any{"containers": []any{app, sidecar}}), true},
		{"a native sidecar", injected(map[string]any{"containers": []any{app}, "initContainers": []any{sidecar}}), true},
	}
	policies := 0
	for name, objects := range load(t) {
		bindings := map[string]bool{}
		for _, object := range objects {
			if binding, ok := object.(*admissionregistration.ValidatingAdmissionPolicyBinding); ok {
				checkSelectors(t, binding.Spec.MatchResources.NamespaceSelector, binding.Spec.MatchResources.ObjectSelector)
				bindings[binding.Spec.PolicyName] = true
				for _, message := range validation.IsDNS1123Subdomain(binding.Name) {
					t.Errorf("%s: %s", binding.Name, message)
				}
			}
		}
		for _, object := range objects {
			policy, ok := object.(*admissionregistration.ValidatingAdmissionPolicy)
			if !ok {
				continue
			}
			policies++
			if !bindings[policy.Name] {
				t.Errorf("%s: nothing binds policy %s", name, policy.Name)
			}
			checkConditions(t, policy.Spec.MatchConditions)
			for _, rule := range policy.Spec.Validations {
				// A validation is compiled as a condition is: to a boolean.
				expression := &matchconditions.MatchCondition{Expression: rule.Expression}
				evaluator := conditionCompiler().CompileCondition([]plugincel.ExpressionAccessor{expression},
					plugincel.OptionalVariableDeclarations{}, environment.NewExpressions)
				for _, one := range cases {
					attr := attributes(pod(one.object), false)
					request := plugincel.CreateAdmissionRequest(attr, meta.GroupVersionResource(attr.GetResource()), meta.GroupVersionKind(attr.VersionedKind))
					results, _, err := evaluator.ForInput(context.Background(), attr, request, plugincel.OptionalVariableBindings{}, &core.Namespace{}, cel.RuntimeCELCostBudget)
					if err != nil || results[0].Error != nil {
						t.Errorf("%s: %v %v", one.name, err, results[0].Error)
						continue
					}
					if passes := results[0].EvalResult.Value() == true; passes != one.passes {
						t.Errorf("%s: passes %v", one.name, passes)
					}
				}
			}
		}
	}
	if policies == 0 {
		t.Error("there is no policy to try")
	}
}
