// Package api is generated from Carillon's OpenAPI document: a type for each schema, a function for each call.
// Package carillon adds what a program needs to use it, and returns these types.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../../../docs/openapi.json
//go:generate sh -c "sha256sum < ../../../docs/openapi.json | cut -d' ' -f1 > openapi.sha256"
