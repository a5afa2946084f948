// Packages the Helm chart as `helm package` does, renders what is in the archive and lints the folder, with Helm's own packages.
// The archive is what a registry has and `helm pull` gets. Reads cases from standard input, one JSON object a line with
// a name and values, and writes one a line with the objects, or the error that Helm reports.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"
)

type given struct {
	Name   string         `json:"name"`
	Values map[string]any `json:"values"`
}

type result struct {
	Name    string            `json:"name"`
	Objects []json.RawMessage `json:"objects"`
	Error   string            `json:"error,omitempty"`
	Lint    []string          `json:"lint"`
}

func main() {
	place, err := os.MkdirTemp("", "outrigger-chart-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(place)
	archive := packaged(os.Args[1], place)
	reader := bufio.NewReader(os.Stdin)
	writer := json.NewEncoder(os.Stdout)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			var one given
			if err := json.Unmarshal(line, &one); err != nil {
				panic(err)
			}
			if err := writer.Encode(render(os.Args[1], archive, one)); err != nil {
				panic(err)
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
	}
}

// packaged is the archive of the chart in a folder.
func packaged(folder string, place string) string {
	chart, err := loader.LoadDir(folder)
	if err != nil {
		panic(err)
	}
	archive, err := chartutil.Save(chart, place)
	if err != nil {
		panic(err)
	}
	return archive
}

func render(folder string, archive string, one given) result {
	answer := result{Name: one.Name, Objects: []json.RawMessage{}, Lint: []string{}}
	chart, err := loader.Load(archive)
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	options := chartutil.ReleaseOptions{Name: "outrigger", Namespace: "outrigger", Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(chart, one.Values, options, chartutil.DefaultCapabilities)
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	files, err := engine.Render(chart, values)
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	names := []string{}
	for name := range files {
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		manifests := releaseutil.SplitManifests(files[name])
		keys := []string{}
		for key := range manifests {
			keys = append(keys, key)
		}
		sort.Sort(releaseutil.BySplitManifestsOrder(keys))
		for _, key := range keys {
			object, err := yaml.YAMLToJSONStrict([]byte(manifests[key]))
			if err != nil {
				answer.Error = name + ": " + err.Error()
				return answer
			}
			if string(object) != "null" {
				answer.Objects = append(answer.Objects, object)
			}
		}
	}
	for _, message := range lint.All(folder, one.Values, "outrigger", true).Messages {
		answer.Lint = append(answer.Lint, message.Error())
	}
	return answer
}
