module carillon/bench/peers/apns2

go 1.25

require github.com/sideshow/apns2 v0.25.0

require (
	github.com/golang-jwt/jwt/v4 v4.4.1 // indirect
	golang.org/x/net v0.0.0-20220403103023-749bd193bc2b // indirect
	golang.org/x/text v0.3.7 // indirect
)
