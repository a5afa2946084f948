// Reads the kubeconfigs of cases.json with client-go, and writes what it makes of each to expected.json: go run . in this folder.
// The test of our own reader compares with that file, so that it needs no Go.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type testCase struct {
	Name       string            `json:"name"`
	Files      map[string]string `json:"files"`
	Kubeconfig []string          `json:"kubeconfig"`
	Explicit   string            `json:"explicit"`
	Context    string            `json:"context"`
}

type reading struct {
	Name       string              `json:"name"`
	Refused    bool                `json:"refused,omitempty"`
	URL        string              `json:"url,omitempty"`
	CA         string              `json:"ca,omitempty"`
	ServerName string              `json:"serverName,omitempty"`
	Insecure   bool                `json:"insecure,omitempty"`
	Proxy      string              `json:"proxy,omitempty"`
	Token      string              `json:"token,omitempty"`
	Cert       string              `json:"certificate,omitempty"`
	Key        string              `json:"key,omitempty"`
	User       string              `json:"as,omitempty"`
	UID        string              `json:"asUid,omitempty"`
	Groups     []string            `json:"asGroups,omitempty"`
	Extra      map[string][]string `json:"asExtra,omitempty"`
	Plugin     string              `json:"plugin,omitempty"`
	Other      string              `json:"other,omitempty"`
}

func main() {
	text, err := os.ReadFile("cases.json")
	must(err)
	var cases []testCase
	must(json.Unmarshal(text, &cases))
	readings := []reading{}
	for _, each := range cases {
		readings = append(readings, read(each))
	}
	out, err := json.MarshalIndent(readings, "", "  ")
	must(err)
	must(os.WriteFile("expected.json", append(out, '\n'), 0o644))
}

func read(each testCase) reading {
	folder, err := os.MkdirTemp("", "kubeconfig")
	must(err)
	defer os.RemoveAll(folder)
	for name, text := range each.Files {
		path := filepath.Join(folder, name)
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		must(os.WriteFile(path, []byte(text), 0o644))
	}
	rules := &clientcmd.ClientConfigLoadingRules{}
	for _, name := range each.Kubeconfig {
		rules.Precedence = append(rules.Precedence, filepath.Join(folder, name))
	}
	if each.Explicit != "" {
		rules.ExplicitPath = filepath.Join(folder, each.Explicit)
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: each.Context}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	found := reading{Name: each.Name}
	if err != nil || config.Host == "" {
		found.Refused = true
		return found
	}
	url, _, err := rest.DefaultServerUrlFor(config)
	if err == nil {
		err = rest.LoadTLSFiles(config)
	}
	if err == nil {
		_, err = rest.TLSConfigFor(config)
	}
	// The certificates of the cases are no certificates: what is said of their contents does not count.
	if err != nil && !strings.Contains(err.Error(), "PEM") && !strings.Contains(err.Error(), "parse") {
		found.Refused = true
		return found
	}
	found.URL = strings.TrimSuffix(url.String(), "/")
	found.CA, found.Cert, found.Key = string(config.CAData), string(config.CertData), string(config.KeyData)
	found.ServerName, found.Insecure = config.ServerName, config.Insecure
	found.User, found.UID = config.Impersonate.UserName, config.Impersonate.UID
	found.Groups, found.Extra = config.Impersonate.Groups, config.Impersonate.Extra
	if config.Proxy != nil {
		if proxy, err := config.Proxy(nil); err == nil && proxy != nil {
			found.Proxy = proxy.String()
		}
	}
	found.Token = config.BearerToken
	if config.BearerTokenFile != "" {
		token, err := os.ReadFile(config.BearerTokenFile)
		must(err)
		found.Token = strings.TrimSpace(string(token))
	}
	// A request that has a token asks no plugin.
	if config.ExecProvider != nil && found.Token == "" {
		found.Plugin = strings.Join(append([]string{strings.TrimPrefix(config.ExecProvider.Command, folder+"/")}, config.ExecProvider.Args...), " ")
	}
	if config.AuthProvider != nil {
		found.Other = "auth-provider"
	}
	if config.Username != "" {
		found.Other = "username"
	}
	return found
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
