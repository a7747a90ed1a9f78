module counting

go 1.19
