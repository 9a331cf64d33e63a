/*
 * Nothing: what a program costs that ends at once.
 */
int main(void)
{
    return 0;
}
