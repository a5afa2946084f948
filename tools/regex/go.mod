module outrigger/regex

go 1.22
