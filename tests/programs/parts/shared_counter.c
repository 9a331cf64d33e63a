/* Built with darn as a shared object; see racy/shared_object.c and racy/dlopen.c. */
extern long library_counter;
void library_count(void);

long library_counter;
static long hidden_counter;

void library_count(void)
{
    library_counter++; /* race: LIBRARY */
    hidden_counter++;  /* race: HIDDEN */
}
