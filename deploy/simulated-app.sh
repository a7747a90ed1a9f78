# Makes the app com.example.app, gives it the simulator's credentials, and prints a new API key for it. Runs in
# the container of the API, as often as you like; the simulator has new credentials after each of its starts.
set -eu
app=com.example.app
files=$(dirname "$GATEWAY_CA_FILE")
carillon() { node bin/carillon.js "$@"; }

apps=$(carillon apps list --json)
case $apps in
  *"\"$app\""*) ;;
  *) carillon apps create --bundle-id "$app" --name 'My app' >&2 ;;
esac
carillon credentials apns --app "$app" --key-file "$files/AuthKey_SIMULATOR1.p8" \
  --key-id SIMULATOR1 --team-id CARILLON01 >&2
carillon credentials fcm --app "$app" --service-account "$files/service-account.json" >&2
key=$(carillon keys create --app "$app" --scopes read,write,register)
echo "$key" | head -1
