// The safety net's table through the API server's own CEL environment: conditions as its plugin matches them, then the
// validation. CASES names a file with one policy and its pods for each configuration.
package webhook

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type table struct {
	Policy admissionregistration.ValidatingAdmissionPolicy
	Cases  []struct {
		Name       string
		Pod        map[string]any
		IsRejected bool
	}
}

func TestSafetyNetTable(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("CASES"))
	if err != nil {
		t.Fatal(err)
	}
	var tables []table
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	tried, rejected := 0, 0
	for _, one := range tables {
		spec := one.Policy.Spec
		checkConditions(t, spec.MatchConditions)
		matcher := compiledMatcher(admissionregistration.MutatingWebhook{Name: "net", MatchConditions: spec.MatchConditions})
		expression := &matchconditions.MatchCondition{Expression: spec.Validations[0].Expression}
		evaluator := conditionCompiler().CompileCondition([]plugincel.ExpressionAccessor{expression},
			plugincel.OptionalVariableDeclarations{}, environment.NewExpressions)
		for _, c := range one.Cases {
			attr := attributes(&unstructured.Unstructured{Object: c.Pod}, false)
			match := matcher.Match(context.Background(), attr, nil, nil)
			if match.Error != nil {
				t.Fatalf("%s: %v", c.Name, match.Error)
			}
			isRejected := false
			if match.Matches {
				request := plugincel.CreateAdmissionRequest(attr, meta.GroupVersionResource(attr.GetResource()), meta.GroupVersionKind(attr.VersionedKind))
				results, _, err := evaluator.ForInput(context.Background(), attr, request, plugincel.OptionalVariableBindings{}, &core.Namespace{}, cel.RuntimeCELCostBudget)
				if err != nil || results[0].Error != nil {
					t.Fatalf("%s: %v %v", c.Name, err, results[0].Error)
				}
				isRejected = results[0].EvalResult.Value() != true
			}
			tried++
			if isRejected {
				rejected++
			}
			if isRejected != c.IsRejected {
				t.Errorf("%s: rejected %v", c.Name, isRejected)
			}
		}
	}
	if tried < 1000 || rejected == 0 || rejected == tried {
		t.Errorf("%d pods tried, %d rejected: the table is not whole", tried, rejected)
	}
	t.Logf("%d pods, %d rejected", tried, rejected)
}
