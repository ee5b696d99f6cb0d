module turnwire.dev/go

go 1.23
