module github.com/carillon-push/carillon-go

go 1.24.0
