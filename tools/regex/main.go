// Reads lines of JSON with a pattern, a text, a replacement and what Outrigger makes of them, and prints where Go's regexp makes something else.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

type made struct {
	Pattern, Text, Replacement string
	// Nil where Outrigger refuses the pattern.
	Matches  *bool
	Replaced string
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	equal, differ, refused, refusedHere := 0, 0, 0, 0
	for lines.Scan() {
		var each made
		if err := json.Unmarshal(lines.Bytes(), &each); err != nil {
			panic(err)
		}
		expression, err := regexp.Compile(each.Pattern)
		switch {
		case err != nil && each.Matches == nil:
			refused++
		case err == nil && each.Matches == nil:
			refusedHere++
		case err == nil && expression.MatchString(each.Text) == *each.Matches &&
			expression.ReplaceAllString(each.Text, each.Replacement) == each.Replaced:
			equal++
		default:
			differ++
			fmt.Printf("%q in %q, replaced by %q: %v\n", each.Pattern, each.Text, each.Replacement, err)
		}
	}
	fmt.Printf("%d equal, %d differ, %d refused by both, %d refused here alone\n", equal, differ, refused, refusedHere)
	if differ > 0 {
		os.Exit(1)
	}
}
